import PromiseCombinators
import TestSupport

// The files of this folder contain the snippets of Docs/Guides/Async.md, word for word. `Scripts/check-snippets.py` compares them.

/// The server, the cache and the sensor of the guide to async code, and the tests of its snippets.
enum AsyncGuide {
  struct User: Sendable, Equatable {
    var name = "Ada"
    var address = "Oslo"
  }

  struct Token: Sendable, Equatable { let number: Int }
  struct Denied: Error {}

  /// A server whose requests the test settles.
  final class Server: Sendable {
    let answer = Deferred<User>()
    let lists = Log<(text: String, answer: Deferred<[User]>)>()
    let pictures = Log<(id: Int, answer: Deferred<String>)>()
    private let tokens = Locked(0)
    private let refusals: Int

    init(refusals: Int = 0) { self.refusals = refusals }

    func user(_ id: Int) -> Promise<User> { answer.promise }

    func users(named text: String) -> Promise<[User]> {
      let answer = Deferred<[User]>()
      lists.append((text, answer))
      return answer.promise
    }

    func picture(of id: Int) -> Promise<String> {
      let answer = Deferred<String>()
      pictures.append((id, answer))
      return answer.promise
    }

    var tokensAsked: Int { tokens.withLock { $0 } }

    func token() async throws -> Token {
      let number = tokens.increment()
      if number <= refusals { throw Denied() }
      return Token(number: number)
    }
  }

  final class Sensor: Sendable {
    enum Habit: CaseIterable { case answers, answersTwice, forgets, fails }

    let habit: Habit
    init(_ habit: Habit) { self.habit = habit }

    func read(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
      switch habit {
      case .answers: completion(1, nil)
      case .answersTwice:
        completion(1, nil)
        completion(2, nil)
      case .forgets: break
      case .fails: completion(nil, Denied())
      }
    }
  }

  /// A cache of promises.
  actor Directory {
    private let server: Server
    private var known: [Int: Promise<User>] = [:]

    init(_ server: Server) { self.server = server }

    func user(_ id: Int) -> Promise<User> {
      let user = known[id] ?? server.user(id)
      known[id] = user
      return user
    }
  }
}
