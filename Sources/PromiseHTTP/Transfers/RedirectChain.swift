#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The tasks of one request of a ``SessionProxy``. They are the first task, and one more for each redirection that is
  /// followed.
  ///
  /// Foundation (Swift 6.3.1) stops the process if its question about a redirection is answered after the task was
  /// cancelled or its idle time has passed. A redirection that is followed is therefore never answered. Its task is
  /// cancelled, which is legal at any time, and the next task starts when the cancelled task has ended.
  ///
  /// `@unchecked Sendable`, because after `init` the variables are accessed only by operations of the session's
  /// delegate queue, which run one at a time.
  final class RedirectChain: @unchecked Sendable {
    let transfer: RequestTransfer
    private var request: URLRequest
    private(set) var task: URLSessionTask
    /// The body of the current task, unless the session reads the body from the request.
    private(set) var body: UploadSource?
    /// The request that is sent when the current task has ended. If it is `nil`, the chain ends with that task.
    private var next: URLRequest?
    private var redirections = 0
    /// The redirection about which the session's delegate has not decided yet.
    private var undecided: HTTPURLResponse?

    /// The greatest number of redirections that are followed, which is the same as in Foundation.
    private static let limit = 20

    /// - Parameter file: the body, if it has a file. Other bodies are part of the request.
    init(of request: URLRequest, uploading file: Upload?, as transfer: RequestTransfer, in session: URLSession) {
      self.request = request
      self.transfer = transfer
      (task, body) = Self.task(for: request, uploading: file, in: session)
    }

    /// Makes a task, which is not started.
    private static func task(
      for request: URLRequest, uploading file: Upload?, in session: URLSession
    ) -> (URLSessionTask, UploadSource?) {
      var request = request
      request.roundIdleTime()
      guard let upload = request.upload ?? file else { return (session.dataTask(with: request), nil) }
      let body = UploadSource(upload, method: request.httpMethod)
      guard !session.hasClientProtocol(for: request) else {
        // A fake reads the body from the request.
        if upload.isSeparate { request.httpBodyStream = UploadStream(upload) }
        return (session.dataTask(with: request), body)
      }
      // A session asks its delegate for the body of such a task, each time that it needs one.
      return (session.uploadTask(withStreamedRequest: request.streaming(upload.count)), body)
    }

    /// Cancels the request. This also has an effect between two tasks.
    func cancel() {
      next = nil
      task.cancel()
    }

    /// Returns the request to which a redirection leads.
    ///
    /// - Throws: `URLError`, if the redirection must not be followed.
    func request(after response: HTTPURLResponse, to target: URL?) throws -> URLRequest {
      redirections += 1
      guard redirections <= Self.limit else {
        throw URLError(.httpTooManyRedirects, failingAt: target, "more than \(Self.limit) redirections")
      }
      undecided = response
      return try request.redirected(by: response, to: target)
    }

    /// Applies a decision about a redirection. A request is sent as the next one. `nil` ends the chain with the
    /// redirection itself as the response. Only the first decision has an effect, and no decision has one after a
    /// cancellation.
    ///
    /// - Parameter refuse: tells Foundation that the redirection is not followed. It then delivers the body of the
    ///   redirection.
    func apply(_ request: URLRequest?, refusing refuse: () -> Void) {
      // Foundation stops the process if the question of a cancelled task is answered.
      guard let response = undecided, task.state == .running else { return }
      undecided = nil
      if let request { return follow(request) }
      // It also does so if the idle time of the task has passed. Then Foundation has set the task's response, and does
      // not end the task.
      guard task.response === response else { return refuse() }
      transfer.setFinalResponse(response)
      task.cancel()
    }

    private func follow(_ request: URLRequest) {
      var request = request
      request.url = request.url?.withLowercaseScheme
      guard let scheme = request.url?.scheme, ["http", "https"].contains(scheme) else {
        return transfer.stop(task, because: URLError(.unsupportedURL, failingAt: request.url))
      }
      next = request
      task.cancel()
    }

    /// Makes the next task, when the current one has ended.
    ///
    /// - Returns: the task, which the caller starts, or `nil` if the chain has ended.
    func nextTask(in session: URLSession) -> URLSessionTask? {
      guard let next else { return nil }
      self.next = nil
      // A request that becomes GET has no body. A body that is no file is part of the request.
      let keepsFile = body?.upload.isSeparate == true && next.httpMethod == request.httpMethod
      let file = keepsFile ? body?.upload : nil
      request = next
      (task, body) = Self.task(for: next, uploading: file, in: session)
      return task
    }
  }
#endif
