import PromiseCombinators

/// Keeps a token, and requests one if there is none. Callers that ask during a request wait for that request.
actor TokenVault {
  private let request: @Sendable () -> Promise<String>
  // The vault keeps the promise, not its value. If a caller stored the value after its `await`, another caller could
  // come in before that, and start a second request.
  private var current: Promise<String>?
  /// The number of callers that wait for a token.
  private(set) var waiting = 0

  /// - Parameter request: asks the service for a new token.
  init(request: @escaping @Sendable () -> Promise<String>) { self.request = request }

  /// Returns a token, or throws `PromiseError.timedOut` if it does not come in time.
  ///
  /// - Parameter limit: how long the caller waits.
  func token(within limit: Duration = .seconds(30)) async throws -> String {
    // No `await` stands between the check and the assignment, so no other caller can come in between.
    let token = if let current, !current.isRejected { current } else { request() }
    current = token
    waiting += 1
    defer { waiting -= 1 }
    // `timeout` makes a promise for this caller alone. When the time is up, or the Task is cancelled, this promise
    // gives up the request. The request goes on for other callers, and stops when the last caller gives up.
    return try await token.timeout(limit).value(cancelsSource: true)
  }

  func forget() { current = nil }
}
