import PromiseCombinators
import PromiseTesting
import Synchronization
import TestSupport
import Testing

// Holds the snippets of Docs/Recipes/RetryWithLogin.md, word for word. `.ci/check-snippets` compares them.

private struct Token: Equatable, Sendable {
  let text: String
}

private struct LoginExpired: Error {}

private enum Guide {
  final class Account: Sendable {
    private let login: @Sendable () -> Promise<Token>
    private let logins = SingleFlight<String, Token>()
    private let token = Mutex<Token?>(nil)

    init(login: @escaping @Sendable () -> Promise<Token>) { self.login = login }

    /// Calls the request with a token, and once more with a new token if the first is refused.
    func authorized<Answer: Sendable>(
      _ request: @escaping @Sendable (Token) -> Promise<Answer>
    ) -> Promise<Answer> {
      token(insteadOf: nil).then { [self] first in
        request(first).rescue { [self] error in
          guard error is LoginExpired else { throw error }
          return token(insteadOf: first).then { request($0) }
        }
      }
    }

    private func token(insteadOf refused: Token?) -> Promise<Token> {
      if let token = token.withLock({ $0 }), token != refused { return .fulfilled(token) }
      return logins.run("login") { [self] in
        login().tap { [self] new in token.withLock { $0 = new } }  // inside the flight
      }
    }
  }
}

/// Accepts the newest token only, and answers when the test says so.
private final class Server: Sendable {
  let logins = Locked<[Deferred<Token>]>([])
  let requests = Log<String>()
  let valid = Locked<Token?>(nil)

  @Sendable func login() -> Promise<Token> {
    let login = Deferred<Token>()
    logins.withLock { $0.append(login) }
    return login.promise
  }

  func admit(_ text: String) {
    valid.withLock { $0 = Token(text: text) }
    logins.withLock { $0.last }?.fulfill(Token(text: text))
  }

  @Sendable func note(_ number: Int, _ token: Token) -> Promise<Int> {
    requests.append("\(number) \(token.text)")
    return valid.withLock { $0 == token } ? .fulfilled(number) : .rejected(LoginExpired())
  }

  var loginCount: Int { logins.withLock { $0.count } }
}

@Suite("The recipe for a retry with login")
struct RetryWithLoginTests {
  private let server = Server()
  private var account: Guide.Account { Guide.Account(login: server.login) }

  private func note(_ number: Int, _ account: Guide.Account) -> Promise<Int> {
    account.authorized { [server] token in server.note(number, token) }
  }

  @Test("Requests that are refused at the same time share one login", .feature("N12"))
  func shared() throws {
    try TestWorld.run(checking: .running) { world in
      let account = account
      let first = note(1, account)
      world.runUntilIdle()
      server.admit("a")
      #expect(world.settling(first).valueNow == 1)

      server.valid.withLock { $0 = nil }
      let notes = Promise.all([note(2, account), note(3, account)])
      world.runUntilIdle()
      #expect(server.loginCount == 2)
      server.admit("b")
      #expect(world.settling(notes).valueNow == [2, 3])
      #expect(server.loginCount == 2)
    }
  }

  @Test("A second refusal reaches the caller, and so does a failed login", .rule("2.6"))
  func refused() throws {
    try TestWorld.run(checking: .running) { world in
      let account = account
      let one = note(1, account)
      world.runUntilIdle()
      server.admit("a")
      server.valid.withLock { $0 = nil }
      world.runUntilIdle()
      server.logins.withLock { $0.last }?.fulfill(Token(text: "b"))
      #expect(world.settling(one).errorNow is LoginExpired)
      #expect(server.requests.entries == ["1 a", "1 b"])

      let two = note(2, account)
      world.runUntilIdle()
      server.logins.withLock { $0.last }?.reject(TestError(1))
      #expect(world.settling(two).errorNow as? TestError == TestError(1))
      #expect(server.requests.entries.last == "2 b")
    }
  }

  @Test("A late refusal of the old token uses the new one without another login", .feature("N12"))
  func late() throws {
    try TestWorld.run(checking: .running) { world in
      let account = account
      let answer = Deferred<Int>()
      let slow = account.authorized { token in token.text == "a" ? answer.promise : .fulfilled(7) }
      world.runUntilIdle()
      server.admit("a")
      world.runUntilIdle()
      server.valid.withLock { $0 = nil }
      let fast = note(1, account)
      world.runUntilIdle()
      server.admit("b")
      #expect(world.settling(fast).valueNow == 1)
      answer.reject(LoginExpired())
      #expect(world.settling(slow).valueNow == 7)
      #expect(server.loginCount == 2)
    }
  }
}
