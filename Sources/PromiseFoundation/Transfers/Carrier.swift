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
    private var requests: [Int: (request: CarriedRequest, standIn: URLSessionTask)] = [:]

    init(for session: URLSession) {
      asker = session
      super.init()
      let configuration = session.configuration.copy() as? URLSessionConfiguration ?? session.configuration
      // Foundation traps if a task is cancelled while it asks the cache. And all of a download would be kept in memory for it.
      configuration.urlCache = nil
      self.session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Sends a request.
    ///
    /// - Returns: what cancels it.
    func send(_ request: URLRequest, for session: URLSession, as carried: CarriedRequest) -> @Sendable () -> Void {
      guard let task = self.session?.dataTask(with: request) else { return {} }
      let cancel = { @Sendable in self.cancel(task) }
      let standIn = session.dataTask(with: request) { _, _, _ in cancel() }
      lock.withLock { requests[task.taskIdentifier] = (carried, standIn) }
      task.resume()
      return cancel
    }

    /// Where tasks also end: Foundation traps if one is cancelled in the moment in which it does.
    private func cancel(_ task: URLSessionTask) { session?.delegateQueue.addOperation { task.cancel() } }

    func carries(_ session: URLSession) -> Bool { asker === session }

    var isIdle: Bool { asker == nil && lock.withLock { requests.isEmpty } }

    /// Nobody sends anything any more.
    func end() { session?.finishTasksAndInvalidate() }

    // MARK: Callbacks, one after the other

    private func request(of task: URLSessionTask) -> CarriedRequest? {
      lock.withLock { requests[task.taskIdentifier]?.request }
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
      guard let ended = lock.withLock({ requests.removeValue(forKey: task.taskIdentifier) }) else { return }
      ended.request.end(of: task, with: error)
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
      guard let (session, delegate) = asked else { return completionHandler(request) }
      delegate.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: completionHandler)
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
