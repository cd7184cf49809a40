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
    defer {
      waiting -= 1
      // The last caller that gives up cancels the request.
      if waiting == 0, token.isPending { token.cancel() }
    }
    // A promise of this caller's own: when its time is up, the request goes on for the others.
    return try await token.timeout(limit).value
  }

  func forget() { current = nil }
}
