import PromiseCombinators

/// Keeps a token, and gets one if there is none. Whoever asks meanwhile waits for the same request.
actor TokenVault {
  private let service: TokenService
  private let requests = SingleFlight<String, String>()
  private var token: String?
  /// How many callers wait for a token.
  private(set) var waiting = 0

  init(service: TokenService) { self.service = service }

  /// - Parameter limit: how long the caller is ready to wait.
  func token(within limit: Duration = .seconds(30)) async throws -> String {
    if let token { return token }
    // A promise of this caller's own: if it is cancelled, for want of time or of interest, the request goes on for the others.
    let mine = requests.run("token") { [service] in service.requestToken() }
      .timeout(limit, cancelsSource: true)
    waiting += 1
    defer { waiting -= 1 }
    do {
      let new = try await mine.value
      token = new
      return new
    } catch {
      // The last who gives up cancels the request.
      mine.abandon()
      throw error
    }
  }

  func forget() { token = nil }
}
