#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation
  import FoundationNetworking

  /// Watches one request: tells its progress, and ends it where this Foundation would wait for ever.
  ///
  /// That is where a server wants a credential, nobody has one, and the session has no delegate to ask for one (decision 15): the answer is
  /// kept here, and the task cancelled when it is complete.
  ///
  /// It finds and cancels the session's task, for to cancel the Swift Task that waits for it may block for ever: that calls
  /// Foundation under a lock which Foundation needs to resume the Task.
  ///
  /// `@unchecked Sendable`: the variables are touched under the lock only; the rest does not change.
  final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let session: URLSession
    private let reportsSent: Bool
    private let report: @Sendable (_ part: Int64, _ whole: Int64) -> Void
    private let lock = NSLock()
    private var received: Int64 = 0
    private var refused: (body: Data, response: URLResponse)?
    /// What was refused is all that was to come.
    private var isRefusalWhole = false
    private var isCancelled = false
    private var hasEnded = false
    /// Finds the task among those of the session.
    private let mark = URL(string: "promise:\(UUID().uuidString)")

    /// - Parameters:
    ///   - session: whose task it is.
    ///   - sent: what counts is the body of the request, and not that of the answer.
    ///   - report: gets numbers of bytes; the whole is zero or less, if it is not known.
    init(of session: URLSession, reportingSent sent: Bool, to report: @escaping @Sendable (Int64, Int64) -> Void) {
      self.session = session
      reportsSent = sent
      self.report = report
    }

    /// The answer of a server that wanted a credential and gets none.
    var answerIfRefused: (Data, URLResponse)? {
      lock.withLock { isRefusalWhole ? refused.map { ($0.body, $0.response) } : nil }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      completionHandler(.allow)
      if lock.withLock({ isCancelled }) { return dataTask.cancel() }
      let isRefused = isRefused(response)
      // Each redirection begins anew.
      lock.withLock {
        received = 0
        refused = isRefused ? (Data(), response) : nil
      }
      // A body whose end is not known is not waited for, nor is one that does not come.
      if isRefused, dataTask.bodyCount <= 0 || dataTask.currentRequest?.httpMethod == "HEAD" { endRefused(dataTask) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let whole = dataTask.bodyCount
      let (received, isRefused) = lock.withLock {
        self.received += Int64(data.count)
        refused?.body.append(data)
        return (self.received, refused != nil)
      }
      if !reportsSent { report(received, whole) }
      if isRefused, received >= whole { endRefused(dataTask) }
    }

    private func endRefused(_ task: URLSessionTask) {
      lock.withLock { isRefusalWhole = true }
      task.cancel()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      if reportsSent { report(sent, whole) }
    }

    /// The request by which the task is found. By the document for which it is loaded: that is not sent.
    func marked(_ request: URLRequest) -> URLRequest {
      var request = request
      request.mainDocumentURL = mark
      return request
    }

    func cancel() {
      lock.withLock { isCancelled = true }
      cancelTask()
    }

    /// The async function has returned: there is no task any more.
    func end() { lock.withLock { hasEnded = true } }

    private func cancelTask() {
      session.getAllTasks { tasks in
        if let task = tasks.first(where: { $0.originalRequest?.mainDocumentURL == self.mark }) { return task.cancel() }
        // It is being made: Foundation does so a moment after it was asked to.
        guard !self.lock.withLock({ self.hasEnded }) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.cancelTask() }
      }
    }

    /// Whether Foundation wants a credential for it, and there is none.
    private func isRefused(_ response: URLResponse) -> Bool {
      guard let response = response as? HTTPURLResponse, response.statusCode == 401,
        response.value(forHTTPHeaderField: "WWW-Authenticate") != nil
      else { return false }
      let spaces = session.configuration.urlCredentialStorage?.allCredentials.keys
      return spaces?.contains { $0.host == response.url?.host } != true
    }
  }

  extension URLSessionTask {
    /// How many bytes the body will have; negative, if that is not known. Of a compressed one it is not, though its response says
    /// how many are sent: what arrives here is not compressed any more.
    fileprivate var bodyCount: Int64 { countOfBytesExpectedToReceive }
  }
#endif
