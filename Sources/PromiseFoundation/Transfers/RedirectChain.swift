#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The tasks of one request of a ``SessionProxy``: the first, and one more for each redirection that is followed.
  ///
  /// Foundation (Swift 6.3.1) stops the process if its question about a redirection is answered after the task was cancelled or its idle
  /// time has passed. A redirection that is followed is therefore never answered. Its task is cancelled, which is legal at any time, and
  /// the next task starts when that one has ended.
  ///
  /// `@unchecked Sendable`: after `init` the variables are touched only by operations of the session's delegate queue, which run one after the
  /// other.
  final class RedirectChain: @unchecked Sendable {
    let carried: CarriedRequest
    private var request: URLRequest
    private var task: URLSessionTask
    /// What is sent when the task has ended; `nil`: the request ends with its task.
    private var next: URLRequest?
    private var redirections = 0
    /// The redirection that nobody has decided about yet.
    private var undecided: HTTPURLResponse?

    /// As many as Foundation follows.
    private static let limit = 20

    init(of request: URLRequest, as carried: CarriedRequest, startingWith task: URLSessionTask) {
      self.request = request
      self.carried = carried
      self.task = task
    }

    /// Ends the request, also between two tasks.
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

    /// Does what was answered to a redirection: follows it, or, for `nil`, ends with the redirection itself as the answer. Only the first
    /// answer counts, and none after a cancellation.
    ///
    /// - Parameter refuse: tells Foundation that the redirection is not followed. It then delivers the body of the redirection.
    func answer(_ request: URLRequest?, refusing refuse: () -> Void) {
      // Foundation must not be told anything about a task that was cancelled: it would stop the process.
      guard let response = undecided, task.state == .running else { return }
      undecided = nil
      if let request { return follow(request) }
      // Nor about a task whose idle time has passed meanwhile. Foundation has set its response then, and does not end it.
      guard task.response === response else { return refuse() }
      carried.refuse(response)
      task.cancel()
    }

    private func follow(_ request: URLRequest) {
      guard let scheme = request.url?.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
        return carried.stop(task, because: URLError(.unsupportedURL, failingAt: request.url))
      }
      next = request
      task.cancel()
    }

    /// Makes the task that comes after one that has ended.
    ///
    /// - Returns: `nil`, if that was the last.
    func nextTask(in session: URLSession) -> URLSessionTask? {
      guard let next else { return nil }
      self.next = nil
      request = next
      task = session.dataTask(with: next)
      return task
    }
  }
#endif
