import PromiseGates
import Synchronization

/// A token, and the number of the login from which it came.
struct Token: Sendable, Equatable {
  let text: String
  let login: Int
}

/// The user has signed out, or the server has refused to renew the token.
struct SignedOut: Error {}

/// Keeps the token, and logs in when there is none. If the server refuses that, it signs out.
final class Login: Sendable {
  private struct State {
    var number = 1
    var token: Token?
    var isSignedOut = false
  }

  private let state = Mutex(State())
  private let flights = SingleFlight<Int, Token>(label: "logins")
  private let logIn: @Sendable () -> Promise<String>
  private let onSignOut: @Sendable () -> Void
  /// The requests of the user, which `signOut()` stops.
  private let requests = CancelBag()

  init(_ logIn: @escaping @Sendable () -> Promise<String>, onSignOut: @escaping @Sendable () -> Void) {
    self.logIn = logIn
    self.onSignOut = onSignOut
  }

  /// Sends a request with a token, and once again with a new token if the server refuses the first one.
  func authorized(_ label: String, _ send: @escaping @Sendable (Token) -> Promise<String>) -> Promise<String> {
    token()
      .then { [self] token in
        send(token).rescue(from: Unauthorized.self) { [self] _ in
          self.token(insteadOf: token).then(send).labeled("\(label) again")
        }
      }
      .labeled(label)
      .bound(to: requests)
  }

  /// Stops all requests with `SignedOut`, and refuses further ones.
  func signOut() {
    let isFirst = state.withLock { state in
      defer { state = State(number: state.number, isSignedOut: true) }
      return !state.isSignedOut
    }
    guard isFirst else { return }
    requests.close(reason: SignedOut())
    onSignOut()
  }

  /// Returns a promise for a token. Callers that ask during a login share it. If the login fails, all of them are
  /// rejected, and the next caller begins another login. A caller that gives up does not stop the login, even if it is
  /// the only one.
  ///
  /// - Parameter refused: a token that the server has refused. It is not used again. The token of a later login
  ///   remains, because an answer to an older one says nothing about it.
  private func token(insteadOf refused: Token? = nil) -> Promise<Token> {
    let number = state.withLock { state in
      if let refused, refused.login == state.number {
        state = State(number: state.number + 1, isSignedOut: state.isSignedOut)
      }
      return state.number
    }
    return flights.run(for: number) { [self] in
      let current = state.withLock { $0 }
      if current.isSignedOut { throw SignedOut() }
      if let token = current.token { return .fulfilled(token) }
      // The token was refused between the call and this closure. Other callers have begun the login, or are about to.
      guard current.number == number else { return self.token() }
      return logIn()
        .map { Token(text: $0, login: number) }
        .tap { [self] token in state.withLock { if !$0.isSignedOut { $0.token = token } } }
        .catch(only: LoginRefused.self) { [self] _ in signOut() }
        .labeled("login \(number)")
    }
    // If all requests were cancelled meanwhile, no other code handles an error of the login.
    .onRejected { _ in }
    .shielded()
  }
}
