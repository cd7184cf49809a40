#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Carries the requests of a session: a session of our own with the same configuration, whose delegate sees what happens (decision 15).
  ///
  /// There is one for each session that is asked, so that connections are used again and their number is limited as it says. It goes
  /// when a request of any session begins or ends after that session has gone.
  ///
  /// Each request has a *stand-in* among the session's own tasks, which never runs: the session ends when it has, and if it is told to
  /// cancel its tasks, the request is cancelled.
  ///
  /// `@unchecked Sendable`: `requests` is touched under the lock only; `session` is set before anybody else has this.
  final class Carrier: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private weak var asker: URLSession?
    private var session: URLSession?
    private let lock = NSLock()
    /// By the identifier of the task that runs.
    private var requests: [Int: (chain: RedirectChain, standIn: URLSessionTask)] = [:]
    /// Those of the session's additional headers that carry credentials. They become headers of each request, so that a redirection to
    /// another origin leaves them out, too.
    private let credentials: [String: String]

    init(for session: URLSession) {
      asker = session
      let configuration = session.configuration.copy() as? URLSessionConfiguration ?? session.configuration
      let headers = (configuration.httpAdditionalHeaders as? [String: String] ?? [:])
      credentials = headers.filter { $0.key.lowercased().isNameOfCredential }
      for name in credentials.keys { configuration.httpAdditionalHeaders?[name] = nil }
      super.init()
      // Foundation traps if a task is cancelled while it asks the cache. And all of a download would be kept in memory for it.
      configuration.urlCache = nil
      self.session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Sends a request.
    ///
    /// - Returns: what cancels it.
    func send(_ request: URLRequest, for session: URLSession, as carried: CarriedRequest) -> @Sendable () -> Void {
      var request = request
      for (name, value) in credentials where request.value(forHTTPHeaderField: name) == nil {
        request.setValue(value, forHTTPHeaderField: name)
      }
      guard let task = self.session?.dataTask(with: request) else { return {} }
      let chain = RedirectChain(of: request, as: carried, startingWith: task)
      let cancel = { @Sendable in self.onDelegateQueue { chain.cancel() } }
      let standIn = session.dataTask(with: request) { _, _, _ in cancel() }
      lock.withLock { requests[task.taskIdentifier] = (chain, standIn) }
      task.resume()
      return cancel
    }

    /// Where tasks also end: Foundation traps if one is cancelled in the moment in which it does.
    private func onDelegateQueue(_ body: @escaping @Sendable () -> Void) { session?.delegateQueue.addOperation(body) }

    func carries(_ session: URLSession) -> Bool { asker === session }

    var isIdle: Bool { asker == nil && lock.withLock { requests.isEmpty } }

    /// Nobody sends anything any more.
    func end() { session?.finishTasksAndInvalidate() }

    // MARK: Callbacks, one after the other

    private func request(of task: URLSessionTask) -> CarriedRequest? {
      lock.withLock { requests[task.taskIdentifier]?.chain.carried }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(.allow)
      request(of: dataTask)?.begin(of: dataTask)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      request(of: dataTask)?.receive(data, of: dataTask)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      request(of: task)?.hasSent(sent, of: whole)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      guard let ended = lock.withLock({ requests[task.taskIdentifier] }) else { return }
      let next = ended.chain.nextTask(in: session)
      lock.withLock {
        requests[task.taskIdentifier] = nil
        if let next { requests[next.taskIdentifier] = ended }
      }
      if let next { return next.resume() }
      ended.chain.carried.end(of: task, with: error)
      ended.standIn.cancel()
      Self.removeIdle()
    }

    /// The session's own delegate, if it is one who may be asked.
    private var asked: (session: URLSession, delegate: any URLSessionTaskDelegate)? {
      guard let asker, let delegate = asker.delegate as? any URLSessionTaskDelegate else { return nil }
      return (asker, delegate)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      // A task that is cancelled already gets no answer.
      guard let (chain, standIn) = lock.withLock({ requests[task.taskIdentifier] }), task.state == .running else {
        return
      }
      do {
        let next = try chain.request(after: response, to: request.url)
        let refuse = { @Sendable in completionHandler(nil) }
        guard let (session, delegate) = asked else { return chain.answer(next, refusing: refuse) }
        // The delegate gets the stand-in: it may cancel its task before it answers, from any thread.
        delegate.urlSession(session, task: standIn, willPerformHTTPRedirection: response, newRequest: next) { answer in
          self.onDelegateQueue { chain.answer(answer, refusing: refuse) }
        }
      } catch {
        chain.carried.stop(task, because: error)
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { disposition, credential in
        switch disposition {
        case .performDefaultHandling where challenge.proposedCredential == nil, .rejectProtectionSpace:
          self.request(of: task)?.refuse(challenge.failureResponse ?? task.response)
          completionHandler(.cancelAuthenticationChallenge, nil)
        case .useCredential where credential == nil:
          completionHandler(.cancelAuthenticationChallenge, nil)
        default:
          completionHandler(disposition, credential)
        }
      }
      guard let (session, delegate) = asked else { return answer(.performDefaultHandling, nil) }
      delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
    }
  }
#endif
