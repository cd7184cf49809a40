import PromiseHTTP

/// A delegate of a session that records the questions of the session and gives the answers of its initializer.
final class AskedDelegate: NSObject, URLSessionTaskDelegate {
  private let path: String?
  private let header: (name: String, value: String)?
  private let answer: Answer
  /// The requests that the session proposed after redirections.
  let requests = Log<URLRequest>()
  let redirections = Log<String>()
  let challenges = Log<String>()

  enum Answer: CaseIterable, Sendable {
    /// The user `ada` with the password `pw`.
    case credential
    /// The first password is wrong, and later passwords are right.
    case credentialAtLast
    case noCredential
    case defaultHandling
    case rejection
    case cancellation
  }

  /// - Parameters:
  ///   - path: the path to which redirections lead, or `nil` to refuse redirections.
  ///   - header: a header that the delegate adds to requests that follow a redirection.
  ///   - answer: the answer to challenges.
  init(
    redirectsTo path: String? = nil, adding header: (name: String, value: String)? = nil,
    answering answer: Answer = .defaultHandling
  ) {
    self.path = path
    self.header = header
    self.answer = answer
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    requests.append(request)
    redirections.append("\(response.statusCode) \(request.url?.path ?? "")")
    guard let path, let url = URL(string: path, relativeTo: request.url) else { return completionHandler(nil) }
    var request = request
    request.url = url.absoluteURL
    if let header { request.setValue(header.value, forHTTPHeaderField: header.name) }
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    challenges.append("\(space.realm ?? "") \(challenge.previousFailureCount)")
    switch answer {
    case .credential, .credentialAtLast:
      let isWrong = answer == .credentialAtLast && challenge.previousFailureCount == 0
      let password = isWrong ? "wrong" : "pw"
      completionHandler(.useCredential, URLCredential(user: "ada", password: password, persistence: .none))
    case .noCredential: completionHandler(.useCredential, nil)
    case .defaultHandling: completionHandler(.performDefaultHandling, nil)
    case .rejection: completionHandler(.rejectProtectionSpace, nil)
    case .cancellation: completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}

/// A delegate of a session that answers a question about a redirection when a test decides.
final class UndecidedDelegate: NSObject, URLSessionTaskDelegate {
  struct Question: Sendable {
    let task: URLSessionTask
    let request: URLRequest
    let answer: @Sendable (URLRequest?) -> Void
  }

  private let asked = Deferred<Question>()
  private let ask: @Sendable (Question) -> Void

  /// - Parameter ask: called for each question, on the thread of the session.
  init(_ ask: @escaping @Sendable (Question) -> Void = { _ in }) { self.ask = ask }

  /// A promise for the first question.
  var question: Promise<Question> { asked.promise }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let question = Question(task: task, request: request, answer: completionHandler)
    ask(question)
    if asked.promise.isPending { asked.fulfill(question) }
  }
}

/// A delegate of a session that answers a question about a credential when a test decides.
final class UndecidedCredentialDelegate: NSObject, URLSessionTaskDelegate {
  typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let asked = Deferred<Answer>()

  /// A promise for the first question.
  var question: Promise<Answer> { asked.promise }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    if asked.promise.isPending { asked.fulfill(completionHandler) }
  }
}

/// A delegate of a session that records on which queue each of its methods is called. It follows redirections, and
/// answers challenges with the user `ada` and the password `pw`.
final class QueueDelegate: NSObject, URLSessionTaskDelegate {
  /// The name of the operation queue of each call, or `nil` outside an operation.
  let queues = Log<String?>()
  /// The number of other calls that ran at the beginning of each call.
  let others = Log<Int>()
  private let running = Locked(0)

  private func record() {
    others.append(running.increment() - 1)
    queues.append(OperationQueue.current?.name)
    // Another call that is not held back begins meanwhile.
    for _ in 0..<100 { sched_yield() }
    running.withLock { $0 -= 1 }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    record()
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    record()
    completionHandler(.useCredential, URLCredential(user: "ada", password: "pw", persistence: .none))
  }
}
