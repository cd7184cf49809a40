import PromiseGates
import Synchronization

/// A token, and the number of the login from which it came.
struct Token: Sendable, Equatable {
  let text: String
  let login: Int
}

/// Keeps the token, and logs in when there is none.
final class Login: Sendable {
  private struct State {
    var number = 1
    var token: Token?
  }

  private let state = Mutex(State())
  private let flights = SingleFlight<Int, Token>(label: "logins")
  private let logIn: @Sendable () -> Promise<String>

  init(_ logIn: @escaping @Sendable () -> Promise<String>) { self.logIn = logIn }

  /// Returns a promise for a token. Callers that ask during a login share it. If the login fails, all of them are
  /// rejected, and the next caller begins another login.
  ///
  /// - Parameter refused: a token that the server has refused. It is not used again. The token of a later login
  ///   remains, because an answer to an older one says nothing about it.
  func token(insteadOf refused: Token? = nil) -> Promise<Token> {
    let number = state.withLock { state in
      if let refused, refused.login == state.number { state = State(number: state.number + 1) }
      return state.number
    }
    return flights.run(for: number) { [self] in
      let (current, token) = state.withLock { ($0.number, $0.token) }
      if let token { return .fulfilled(token) }
      // The token was refused between the call and this closure. Other callers have begun the login, or are about to.
      guard current == number else { return self.token() }
      return logIn()
        .map { Token(text: $0, login: number) }
        .tap { [self] token in state.withLock { $0.token = token } }
        .labeled("login \(number)")
    }
  }
}
