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
    let lists = Requests<String, [User]>()
    let pictures = Requests<Int, String>()
    private let tokens = Locked(0)
    private let refusals: Int

    init(refusals: Int = 0) { self.refusals = refusals }

    func user(_ id: Int) -> Promise<User> { answer.promise }
    func users(named text: String) -> Promise<[User]> { lists.begin(text) }
    func picture(of id: Int) -> Promise<String> { pictures.begin(id) }

    var tokensAsked: Int { tokens.withLock { $0 } }

    func token() async throws -> Token {
      let number = tokens.increment()
      if number <= refusals { throw Denied() }
      return Token(number: number)
    }
  }

  struct Sensor: Sendable {
    func read(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }
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
