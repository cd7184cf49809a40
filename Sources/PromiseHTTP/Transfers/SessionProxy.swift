#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation
  import FoundationNetworking

  /// Sends the requests of a client's session through a second session, which has the same configuration and the proxy
  /// as its delegate. The second session is needed on Linux, because a task there has no delegate of its own
  /// (`Docs/Decisions/0015-foundation-on-linux.md`).
  ///
  /// Each client session has at most one proxy. So connections are reused, and the configuration limits their number.
  /// The proxy ends when the client's session is deallocated.
  ///
  /// Each request also has a placeholder task in the client's session, which is never resumed. While it exists,
  /// `finishTasksAndInvalidate` of the client's session waits for the request. When the client's session cancels its
  /// tasks, the placeholder cancels the request.
  ///
  /// `@unchecked Sendable`, because `requests` and `session` are accessed only under the lock after `init`.
  final class SessionProxy: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private weak var clientSession: URLSession?
    /// `nil` when the proxy has ended. The second session retains this delegate until then.
    private var session: URLSession?
    private let lock = NSLock()
    /// The requests in progress, by the identifier of the task that runs.
    private var requests: [Int: (chain: RedirectChain, placeholder: URLSessionTask)] = [:]
    /// The session's additional headers that carry credentials. They become headers of each request, so that a
    /// redirection to another origin removes them, too.
    private let credentials: [String: String]
    private let endsWithRequest: Bool

    /// - Parameters:
    ///   - endsWithRequest: whether the proxy sends one request only, and ends with it.
    ///   - body: the body of the response to that request, if it is streamed. It can pause the second session.
    init(for session: URLSession, endingWithRequest endsWithRequest: Bool = false, streaming body: BodyStream? = nil) {
      clientSession = session
      self.endsWithRequest = endsWithRequest
      let configuration = session.configuration.copy() as? URLSessionConfiguration ?? session.configuration
      let headers = (configuration.httpAdditionalHeaders as? [String: String] ?? [:])
      credentials = headers.filter { $0.key.lowercased().isNameOfCredential }
      for name in credentials.keys { configuration.httpAdditionalHeaders?[name] = nil }
      super.init()
      // With a cache, Foundation traps if a task is cancelled while it looks the request up. It would also keep a whole
      // download in memory.
      configuration.urlCache = nil
      configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest.inWholeSeconds
      let session = URLSession(
        configuration: configuration, delegate: self, delegateQueue: body.map { PacedQueue(for: $0) })
      self.session = session
      // `suspend()` of a task would send the request again.
      if let body, let queue = session.reflectedReadingQueue {
        body.onPause { pauses in pauses ? queue.suspend() : queue.resume() }
      }
    }

    /// Sends a request.
    ///
    /// - Parameter file: the body, if it is a file. Other bodies are part of the request.
    /// - Returns: a function that cancels the request. It may be called on any thread.
    func send(
      _ request: URLRequest, uploading file: Upload?, for session: URLSession, as transfer: RequestTransfer
    ) -> @Sendable () -> Void {
      var request = request
      for (name, value) in credentials where request.value(forHTTPHeaderField: name) == nil {
        request.setValue(value, forHTTPHeaderField: name)
      }
      guard let proxySession = lock.withLock({ self.session }) else { return {} }
      if transfer.stream != nil { request.timeoutInterval = TimeInterval.infinity.inWholeSeconds }
      let chain = RedirectChain(of: request, uploading: file, as: transfer, in: proxySession)
      let task = chain.task
      let cancel = { @Sendable in self.onDelegateQueue { chain.cancel() } }
      // Without the body, of which each task would keep a copy. A fake is also asked whether it loads the placeholder.
      if !proxySession.hasClientProtocol(for: request) { request.httpBody = nil }
      let placeholder = transfer.placeholder?.task ?? session.dataTask(with: request) { _, _, _ in cancel() }
      lock.withLock { requests[task.taskIdentifier] = (chain, placeholder) }
      // Afterwards, because it may cancel the task at once, and a task that is not in the table completes no request.
      transfer.placeholder?.ended.whenSettled { cancel() }
      if let stream = transfer.stream {
        let limit = stream.idleLimit ?? proxySession.configuration.timeoutIntervalForRequest
        stream.startIdleTimer(limit: limit.inWholeSeconds) {
          self.onDelegateQueue {
            transfer.fail(because: URLError(.timedOut, failingAt: chain.task.currentRequest?.url))
            chain.cancel()
          }
        }
      }
      task.resume()
      return cancel
    }

    /// The configuration of the second session.
    var configuration: URLSessionConfiguration? { lock.withLock { session }?.configuration }

    /// Runs a closure on the delegate queue. Tasks are cancelled there, because they also end there, and Foundation
    /// traps if another thread cancels a task at the moment in which it ends.
    private func onDelegateQueue(_ body: @escaping @Sendable () -> Void) {
      lock.withLock { session }?.delegateQueue.addOperation(body)
    }

    /// Cancels a task as soon as its session has decompressed the data that has arrived.
    ///
    /// The delegate queue would wait for that in `cancel()`, and meanwhile each decompressed piece would wait in memory
    /// for the delegate queue. So another thread waits, and the delegate queue receives and drops the pieces.
    private func cancelAfterDecoding(_ task: URLSessionTask) {
      DispatchQueue.global().async {
        // Waits for the work queue of the task, as `cancel()` does.
        _ = task.priority
        self.onDelegateQueue { task.cancel() }
      }
    }

    /// Ends the second session, and closes its connections. No request may be in progress, and none can be sent
    /// afterwards.
    ///
    /// Without a request in progress, this releases the second session at once. To invalidate it would take several
    /// turns of its queues, which can be behind on a busy machine, and would keep its descriptors open until then.
    func end() {
      // Released outside the lock.
      _ = lock.withLock { session.take() }
    }

    // MARK: Callbacks, one at a time

    private func chain(of task: URLSessionTask) -> RedirectChain? {
      lock.withLock { requests[task.taskIdentifier]?.chain }
    }

    private func transfer(of task: URLSessionTask) -> RequestTransfer? { chain(of: task)?.transfer }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(.allow)
      transfer(of: dataTask)?.stream?.restartIdleTimer()
      transfer(of: dataTask)?.begin(response, of: dataTask)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      transfer(of: dataTask)?.stream?.restartIdleTimer()
      transfer(of: dataTask)?.receive(data, of: dataTask) { self.cancelAfterDecoding(dataTask) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      guard let chain = chain(of: task) else { return }
      chain.transfer.stream?.restartIdleTimer()
      // For a stream, the session does not know the length. Bytes that are sent again count again.
      let whole = chain.body.map { Int64($0.upload.count) } ?? whole
      chain.transfer.didSend(min(sent, whole), of: whole)
    }

    // Not on the delegate queue, but on the work queue of the session, which waits for the answer.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      guard let chain = chain(of: task), let body = chain.body else { return completionHandler(nil) }
      if let stream = body.nextStream() { return completionHandler(stream) }
      // Comes before the end of the task, which the failure of the stream causes.
      let error = URLError(.networkConnectionLost, failingAt: task.currentRequest?.url)
      onDelegateQueue { chain.transfer.fail(because: error) }
      completionHandler(UploadStream(nil))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      guard let completed = lock.withLock({ requests[task.taskIdentifier] }) else { return }
      let next = completed.chain.nextTask(in: session)
      lock.withLock {
        requests[task.taskIdentifier] = nil
        if let next { requests[next.taskIdentifier] = completed }
      }
      if let next { return next.resume() }
      completed.chain.transfer.stream?.stopIdleTimer()
      // Before the client's handlers run, so that a session that the client then releases is deallocated soon.
      completed.placeholder.cancel()
      completed.chain.transfer.sessionHasEnded(task, with: error)
      if endsWithRequest { end() }
    }

    /// Asks the delegate of the client's session, if that delegate can answer questions about tasks. The question is an
    /// operation of the session's delegate queue, because the delegate may rely on that queue to be called one at a time.
    ///
    /// - Parameter question: gets the session, its delegate and the placeholder of the task, which the delegate may
    ///   cancel before it answers, on any thread. It is not called if the request has ended meanwhile.
    /// - Returns: whether there is such a delegate.
    private func askClientDelegate(
      about task: URLSessionTask,
      _ question: @escaping @Sendable (URLSession, any URLSessionTaskDelegate, URLSessionTask) -> Void
    ) -> Bool {
      guard let clientSession, let delegate = clientSession.delegate as? any URLSessionTaskDelegate else {
        return false
      }
      clientSession.delegateQueue.addOperation { [self] in
        guard let placeholder = lock.withLock({ requests[task.taskIdentifier]?.placeholder }) else { return }
        question(clientSession, delegate, placeholder)
      }
      return true
    }

    /// Applies an answer of the client's delegate on the delegate queue, unless the delegate has cancelled the task. What
    /// tells the request of that waits behind the call of the delegate.
    private func apply(
      _ answer: @escaping @Sendable () -> Void, for placeholder: URLSessionTask, in chain: RedirectChain
    ) {
      // A placeholder is never resumed.
      onDelegateQueue { placeholder.state == .suspended ? answer() : chain.cancel() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      // Foundation stops the process if the question of a cancelled task is answered.
      guard let chain = chain(of: task), task.state == .running else { return }
      do {
        let next = try chain.request(after: response, to: request.url)
        let refuse = { @Sendable in completionHandler(nil) }
        let isAsked = askClientDelegate(about: task) { session, delegate, placeholder in
          delegate.urlSession(
            session, task: placeholder, willPerformHTTPRedirection: response, newRequest: next
          ) { answer in
            self.apply({ chain.apply(answer, refusing: refuse) }, for: placeholder, in: chain)
          }
        }
        if !isAsked { chain.apply(next, refusing: refuse) }
      } catch {
        chain.transfer.stop(task, because: error)
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { disposition, credential in
        switch disposition {
        case .performDefaultHandling where challenge.proposedCredential == nil, .rejectProtectionSpace:
          self.transfer(of: task)?.setFinalResponse(challenge.failureResponse ?? task.response)
          completionHandler(.cancelAuthenticationChallenge, nil)
        case .useCredential where credential == nil:
          completionHandler(.cancelAuthenticationChallenge, nil)
        default:
          self.chain(of: task)?.body?.allowSending()
          completionHandler(disposition, credential)
        }
      }
      // Foundation stops the process if the question of a cancelled task is answered.
      guard let chain = chain(of: task), task.state == .running else { return }
      let isAsked = askClientDelegate(about: task) { session, delegate, placeholder in
        delegate.urlSession(session, task: placeholder, didReceive: challenge) { disposition, credential in
          self.apply(
            { if task.state == .running { answer(disposition, credential) } }, for: placeholder, in: chain)
        }
      }
      if !isAsked { answer(.performDefaultHandling, nil) }
    }
  }
#endif
