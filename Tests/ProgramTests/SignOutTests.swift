import PromiseCombinators
import TestSupport
import Testing

@testable import http_cache

/// A login that a test answers, and a server that refuses all tokens except the last one.
private final class RenewedSession: Sendable {
  let logins = Log<Deferred<String>>()
  let sent = Log<String>()
  let signOuts = Log<Void>()
  private let accepted = Locked("")

  func accept(_ token: String) { accepted.withLock { $0 = token } }

  func client() -> CachingClient {
    let transport = Transport(
      send: { [self] message, token in
        sent.append("\(message.label) \(token)")
        return accepted.withLock { $0 } == token ? .fulfilled("text") : .rejected(Unauthorized())
      },
      logIn: { [logins] in
        let login = Deferred<String>()
        return logins.append(login, returning: login.promise)
      })
    return CachingClient(transport: transport, onSignOut: { [signOuts] in signOuts.append(()) })
  }
}

@Suite("The login of the example HTTPCache") struct SignOutTests {
  @Test("A request that is cancelled does not stop the login, even if it is the only one", .rule("4.10"))
  func cancelledRequest() throws {
    try TestWorld.run { world in
      let session = RenewedSession()
      let client = session.client()
      let first = client.write("new", to: "plan")
      world.runUntilIdle()
      first.cancel(upstream: true)
      #expect(session.logins.entries.first?.promise.isPending == true)
      session.accept("1")
      session.logins.entries.first?.fulfill("1")
      world.runUntilIdle()
      try #expect(world.run(until: client.text(of: "plan")) == "text")
      #expect(session.sent.entries == ["GET plan 1"])
      #expect(session.logins.entries.count == 1)
    }
  }

  @Test("In any order of events, a refused login signs out once, and rejects all requests", .rule("4.6"))
  func refusedLogin() throws {
    try TestWorld.explore(schedules: 300, seed: 4) { world in
      let session = RenewedSession()
      let client = session.client()
      session.accept("1")
      let first = client.text(of: "plan")
      world.runUntilIdle()
      session.logins.entries[0].fulfill("1")
      _ = try world.run(until: first)
      session.accept("")
      let requests = (1...3).map { client.write("\($0)", to: "note \($0)").asResult() }
      world.runUntilIdle()
      world.expect(session.logins.entries.count == 2, "one login for all requests")
      session.logins.entries[1].reject(LoginRefused())
      let results = try world.run(until: Promise.all(requests))
      world.expect(session.signOuts.entries.count == 1, "signs out once")
      for result in results {
        guard case .failure(let error) = result else {
          world.expect(false, "a request was accepted")
          continue
        }
        world.expect(error is SignedOut || error is LoginRefused, "\(error)")
      }
      let late = try world.run(until: client.text(of: "plan").asResult())
      guard case .failure(let error) = late else { return world.expect(false, "the old text was kept") }
      world.expect(error is SignedOut, "\(error)")
      world.expect(session.logins.entries.count == 2, "no login after the sign-out")
    }
  }

  @Test("When the client is deallocated, its requests stop, and the user stays signed in", .rule("4.6"))
  func deallocatedClient() throws {
    try TestWorld.run { world in
      let requests = Log<Deferred<String>>()
      let signOuts = Log<Void>()
      let transport = Transport(
        send: { _, _ in
          let request = Deferred<String>()
          return requests.append(request, returning: request.promise)
        }, logIn: { .fulfilled("1") })
      var client: CachingClient? = CachingClient(transport: transport, onSignOut: { signOuts.append(()) })
      let text = try #require(client?.text(of: "plan"))
      let written = try #require(client?.write("new", to: "table"))
      world.runUntilIdle()
      try #require(requests.entries.count == 2)
      #expect(requests.entries.allSatisfy { $0.promise.isPending })
      client = nil
      world.runUntilIdle()
      #expect(requests.entries.allSatisfy { $0.promise.isCancelled })
      #expect(text.isCancelled)
      #expect(written.isCancelled)
      #expect(signOuts.entries.isEmpty)
    }
  }

  @Test("A user who signs out stops the requests, and the token of a pending login is not used", .rule("4.6"))
  func signOut() throws {
    try TestWorld.run { world in
      let session = RenewedSession()
      let client = session.client()
      let text = client.text(of: "plan")
      world.runUntilIdle()
      client.signOut()
      #expect(throws: SignedOut.self) { try world.run(until: text) }
      session.logins.entries.first?.fulfill("1")
      session.accept("1")
      #expect(throws: SignedOut.self) { try world.run(until: client.text(of: "plan")) }
      #expect(session.sent.entries.isEmpty)
      #expect(session.signOuts.entries.count == 1)
    }
  }
}
