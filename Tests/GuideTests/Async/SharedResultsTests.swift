import PromiseCombinators
import TestSupport
import Testing

extension AsyncGuide {
  actor Search {
    private let server: Server
    private var latest: Promise<[User]>?

    init(_ server: Server) { self.server = server }

    func users(named text: String) async throws -> [User] {
      let users = server.users(named: text).validate { !$0.isEmpty }
      latest?.cancel(upstream: true)  // stops the request for the previous text
      latest = users
      return try await users.value(cancelsSource: true)
    }
  }

  actor Session {
    private let server: Server
    private var token: Promise<Token>?

    init(_ server: Server) { self.server = server }

    func authorized() async throws -> Token {
      if let token, !token.isRejected { return try await token.value }
      let token = Promise.task { [server] in try await server.token() }
      self.token = token
      return try await token.value
    }
  }

  @Suite("The guide to async code: shared results and replaced results")
  struct SharedResultsTests {
    @Test("A new search stops the previous search", .rule("4.4"))
    func search() throws {
      // The world does not check unhandled rejections, because the server's `answer` is broken without a handler.
      try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
        let server = Server()
        let search = Search(server)
        let first = Promise.task { try await search.users(named: "A") }
        world.runUntilIdle()
        let second = Promise.task { try await search.users(named: "Ad") }
        world.runUntilIdle()
        #expect(server.lists.stopped == ["A"])
        #expect(server.lists.pending == ["Ad"])
        server.lists.answer("Ad", with: .success([User()]))
        #expect(world.settling(second).state.value == [User()])
        #expect(first.isCancelled)
      }
    }

    @Test("Many callers share one token, and a failed token is fetched again")
    func many() async throws {
      let server = Server(refusals: 1)
      let session = Session(server)
      await #expect(throws: Denied.self) { try await session.authorized() }
      async let first = session.authorized()
      async let second = session.authorized()
      let tokens = try await [first, second, session.authorized()]
      #expect(tokens == Array(repeating: Token(number: 2), count: 3))
      #expect(server.tokensAsked == 2)
    }
  }
}
