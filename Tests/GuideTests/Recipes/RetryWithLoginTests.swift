import PromiseCombinators
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/RetryWithLogin.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Token: Equatable, Sendable {
  let text: String
}

private struct LoginExpired: Error {}

private enum Guide {
  final class Account: Sendable {
    private struct State {
      var refusals = 0
      var token: Token?
    }

    private let login: @Sendable () -> Promise<Token>
    private let logins = SingleFlight<Int, Token>()
    private let state = Mutex(State())

    init(login: @escaping @Sendable () -> Promise<Token>) { self.login = login }

    /// Calls the request with a token, and once more with a new token if the first is refused.
    func authorized<Answer: Sendable>(
      _ request: @escaping @Sendable (Token) -> Promise<Answer>
    ) -> Promise<Answer> {
      token().then { [self] first in
        request(first).rescue { [self] error in
          guard error is LoginExpired else { throw error }
          return token(insteadOf: first).then { request($0) }
        }
      }
    }

    private func token(insteadOf refused: Token? = nil) -> Promise<Token> {
      let number = state.withLock { state in
        // A late refusal of an older token does not remove the current one.
        if let refused, refused == state.token { state = State(refusals: state.refusals + 1) }
        return state.refusals
      }
      return logins.run(number) { [self] in
        let (refusals, token) = state.withLock { ($0.refusals, $0.token) }
        if let token { return .fulfilled(token) }
        guard refusals == number else { return self.token() }  // refused before this closure ran
        return login().tap { [self] new in state.withLock { $0.token = new } }  // inside the flight
      }
    }
  }
}

/// A server that accepts only the newest token. The test completes its logins.
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

  @Test("Requests that are refused at the same time share one login")
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

  @Test("A late refusal of the old token uses the new one without another login")
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

  @Test("A request that begins during a login waits for the new token")
  func during() throws {
    try TestWorld.run(checking: .running) { world in
      let account = account
      let first = note(1, account)
      world.runUntilIdle()
      server.admit("a")
      #expect(world.settling(first).valueNow == 1)

      server.valid.withLock { $0 = nil }
      let refused = note(2, account)
      world.runUntilIdle()
      let later = note(3, account)
      world.runUntilIdle()
      #expect(server.requests.entries == ["1 a", "2 a"])
      server.admit("b")
      #expect(world.settling(refused).valueNow == 2)
      #expect(world.settling(later).valueNow == 3)
      #expect(server.requests.entries.suffix(2).sorted() == ["2 b", "3 b"])
      #expect(server.loginCount == 2)
    }
  }

  @Test("In any order of events, a refused token leads to exactly one login")
  func anyOrder() throws {
    let explored = try TestWorld.explore(schedules: 300, seed: 1) { world in
      let logins = Locked(0)
      let valid = Locked(Token(text: ""))
      let account = Guide.Account {
        Promise.run {
          let token = Token(text: "\(logins.increment())")
          valid.withLock { $0 = token }
          return token
        }
      }
      let requests = Log<String>()
      let request: @Sendable (Int) -> Promise<Int> = { number in
        account.authorized { token in
          Promise.run {
            requests.append(token.text)
            guard valid.withLock({ $0 == token }) else { throw LoginExpired() }
            return number
          }
        }
      }
      _ = try await request(0).value
      let renewed = logins.withLock { $0 } + 1
      valid.withLock { $0 = Token(text: "expired") }
      let answers = (1...3).map { number in Promise.task { try await request(number).value } }
      for (number, answer) in zip(1..., answers) {
        let answered = try await answer.value
        world.expect(answered == number, "each request is answered")
      }
      world.expect(logins.withLock { $0 } == renewed, "one login")
    }
    #expect(explored.schedules == 300)
  }

  @Test("A request that comes when a login ends on another thread starts no second login")
  func threads() throws {
    for _ in 1...2_000 {
      let logins = Locked(0)
      let account = Guide.Account {
        _ = logins.increment()
        return .fulfilled(Token(text: "a"))
      }
      let answers = Log<Promise<Int>>()
      race(
        (1...3).map { number in
          { answers.append(account.authorized { _ in .fulfilled(number) }) }
        })
      _ = try Promise.all(answers.entries).waitForResult(within: .seconds(60))
      #expect(logins.withLock { $0 } == 1)
    }
  }
}
