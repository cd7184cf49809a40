import PromiseCombinators

/// Keeps a token, and requests one if there is none. Callers that ask during a request wait for that request.
actor TokenVault {
  private let request: @Sendable () -> Promise<String>
  // The promise is kept, not its value. A caller that stored the value after its `await` would leave a gap: another caller
  // could come in before the value is stored, and start a second request.
  private var current: Promise<String>?
  /// How many callers wait for a token.
  private(set) var waiting = 0

  /// - Parameter request: asks the service for a new token.
  init(request: @escaping @Sendable () -> Promise<String>) { self.request = request }

  /// - Parameter limit: how long the caller is ready to wait.
  func token(within limit: Duration = .seconds(30)) async throws -> String {
    // No `await` stands between the look and the assignment.
    let token = if let current, !current.isRejected { current } else { request() }
    current = token
    waiting += 1
    defer { waiting -= 1 }
    // A promise of this caller's own. When its time is up, or its Task is cancelled, it gives the request up: the request goes on
    // for other callers, and stops with the last one.
    return try await token.timeout(limit).value(cancelsSource: true)
  }

  func forget() { current = nil }
}
