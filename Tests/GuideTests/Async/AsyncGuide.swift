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

extension AsyncGuide {
  /// The functions that the guide shows.
  struct Client: Sendable {
    let server: Server
    let directory: Directory
    let log = Log<String>()

    init(_ server: Server = Server()) {
      self.server = server
      directory = Directory(server)
    }

    func greeting(for id: Int) async throws -> String {
      let user = server.user(id)  // begun here, for this caller alone
      return try await "Hello, \(user.value(cancelsSource: true).name)!"
    }

    func name(of id: Int) async throws -> String {
      let user = await directory.user(id)  // from a cache
      return try await user.value.name
    }

    func faces() async throws -> [String] {
      async let one = server.picture(of: 1).value(cancelsSource: true)
      async let two = server.picture(of: 2).value(cancelsSource: true)
      return try await [one, two]
    }

    func facesOrNone() async throws -> [String] {
      let pictures = [server.picture(of: 1), server.picture(of: 2)]
      return try await Promise.all(pictures, onRejection: .cancelRemaining).value(cancelsSource: true)
    }

    func show(_ text: String) { log.append(text) }

    func load() async {
      do {
        let user = server.user(7).map { "\($0.name), \($0.address)" }
        show(try await user.value(cancelsSource: true))
      } catch is CancellationError {
        // The screen was dismissed: there is nothing to show.
      } catch {
        show("not available")
      }
    }

    func login() -> Promise<Token> {
      Promise.task { try await server.token() }
    }

    func audit(_ user: User) async throws { log.append("audit \(user.name)") }

    func lookUp(_ address: String) async throws -> String {
      if address.isEmpty { throw Denied() }
      return "the town of \(address)"
    }

    func homeTown(of id: Int) -> Promise<String> {
      server.user(id)
        .asyncTap { user in try await audit(user) }
        .asyncMap { user in try await lookUp(user.address) }
        .asyncRecover { _ in try await lookUp("nowhere") }
    }

    func fetch(_ id: Int) async throws -> User { try await server.user(id).value(cancelsSource: true) }

    func patientUser(_ id: Int) -> Promise<User> {
      Promise.asyncRetry(attempts: 3, backoff: .exponential(first: .milliseconds(100))) { try await fetch(id) }
    }

    func users(_ ids: AsyncStream<Int>) -> Promise<[User]> {
      Promise.asyncTraverse(ids, concurrency: 4) { id in try await fetch(id) }
    }

    func quickGreeting(for id: Int) async throws -> String {
      let user = server.user(id).timeout(.seconds(3))
      return try await "Hello, \(user.value(cancelsSource: true).name)!"
    }

    func nextReading(of sensor: Sensor) async throws -> Int {
      func nextReading() async throws -> Int {
        try await Promise { reading in sensor.read(completion: reading.resolve) }.value
      }
      return try await nextReading()
    }
  }
}
