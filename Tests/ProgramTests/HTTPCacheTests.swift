import PromiseCombinators
import TestSupport
import Testing

@testable import http_cache

@Suite("The cache of the example HTTPCache") struct HTTPCacheTests {
  @Test("In any order of events, readers of a document share one request and one login")
  func sharing() throws {
    try TestWorld.explore(schedules: 200, seed: 1) { world in
      let server = DocumentServer(["plan": "old"])
      let client = CachingClient(transport: server.transport)
      let readers = [client.text(of: "plan"), Promise.run {}.then { client.text(of: "plan") }, client.text(of: "plan")]
      let texts = try world.run(until: Promise.all(readers))
      world.expect(texts == ["old", "old", "old"])
      world.expect(server.messages.entries == ["get plan 1"] && server.logins == 1)
    }
  }

  @Test("A document is kept until its lifetime ends")
  func expiry() throws {
    try TestWorld.run { world in
      let server = DocumentServer(["plan": "old"])
      let client = CachingClient(lifetime: .seconds(60), transport: server.transport)
      var counts: [Int] = []
      for pause in [0, 59_999, 1, 1] {
        world.advance(by: .milliseconds(pause))
        _ = try world.run(until: client.text(of: "plan"))
        counts.append(server.messages.entries.count)
      }
      #expect(counts == [1, 1, 2, 2])
    }
  }

  @Test("In any order of events, all refused requests share one login, and each is repeated once")
  func oneLogin() throws {
    try TestWorld.explore(schedules: 200, seed: 2) { world in
      let server = DocumentServer(["plan": "old", "table": "1 2 3"])
      let client = CachingClient(transport: server.transport)
      _ = try world.run(until: client.text(of: "table"))
      server.endSessions()
      let plan = client.text(of: "plan")
      let writes = (1...3).map { client.write("\($0)", to: "note \($0)") }
      let text = try world.run(until: Promise.all(writes).then { _ in plan })
      world.expect(text == "old" && server.logins == 2, "\(text), \(server.logins), \(server.messages.entries)")
      let accepted = server.messages.entries.filter { $0.hasSuffix(" 2") }
      world.expect(Set(accepted).count == 4 && accepted.count == 4, "each is repeated once")
    }
  }

  @Test("A refusal that comes after another request has renewed the login causes no login")
  func lateRefusal() throws {
    try TestWorld.run { world in
      let requests = Log<Deferred<String>>()
      let logins = Log<Int>()
      let transport = Transport(
        send: { _, token in
          guard token == "1" else { return .fulfilled("text by token \(token)") }
          let request = Deferred<String>()
          return requests.append(request, returning: request.promise)
        },
        logIn: {
          logins.append(logins.entries.count + 1)
          return .fulfilled("\(logins.entries.count)")
        })
      let client = CachingClient(transport: transport)
      let plan = client.text(of: "plan")
      let table = client.text(of: "table")
      world.runUntilIdle()
      try #require(requests.entries.count == 2)
      requests.entries[0].reject(Unauthorized())
      world.runUntilIdle()
      #expect(plan.isFulfilled)
      #expect(table.isPending)
      #expect(logins.entries == [1, 2])
      requests.entries[1].reject(Unauthorized())
      try #expect(world.run(until: table) == "text by token 2")
      #expect(logins.entries == [1, 2])
    }
  }

  @Test("A request that is refused with a new token is not repeated again")
  func refusedTwice() throws {
    try TestWorld.run { world in
      let sent = Log<String>()
      let transport = Transport(
        send: { _, token in
          sent.append(token)
          return sent.entries.count < 4 ? .rejected(Unauthorized()) : .fulfilled("accepted")
        }, logIn: { .fulfilled("\(sent.entries.count + 1)") })
      let client = CachingClient(transport: transport)
      #expect(throws: Unauthorized.self) { try world.run(until: client.text(of: "plan")) }
      #expect(sent.entries == ["1", "2"])
    }
  }

  @Test("A failed login fails all requests that wait for it, and the next request begins another login")
  func failedLogin() throws {
    try TestWorld.run { world in
      let server = DocumentServer(["plan": "old", "table": "1 2 3"])
      let client = CachingClient(transport: server.transport)
      server.refuseLogins()
      let results = try world.run(until: Promise.allSettled([client.text(of: "plan"), client.text(of: "table")]))
      #expect(results.allSatisfy { (try? $0.get()) == nil })
      #expect(server.logins == 1)
      server.refuseLogins(false)
      try #expect(world.run(until: client.text(of: "plan")) == "old")
      #expect(server.logins == 2)
    }
  }

  @Test("In any order of events, a reader that asks after a write gets the new text")
  func readAfterWrite() throws {
    try TestWorld.explore(schedules: 500, seed: 3) { world in
      let server = DocumentServer(["plan": "old"])
      let client = CachingClient(transport: server.transport)
      let early = client.text(of: "plan")
      let written = client.write("new", to: "plan").then { client.text(of: "plan") }
      let texts = try world.run(until: Promise.all([written, early]))
      let later = try world.run(until: client.text(of: "plan"))
      world.expect(texts[0] == "new" && later == "new", "\(texts), later \(later)")
    }
  }

  @Test("Writes are not shared, and a reader gets the new text even if the answer of the write was lost")
  func writes() throws {
    try TestWorld.run { world in
      let server = DocumentServer(["plan": "old"])
      let client = CachingClient(transport: server.transport)
      _ = try world.run(until: client.text(of: "plan"))
      _ = try world.run(until: Promise.all([client.write("new", to: "plan"), client.write("new", to: "plan")]))
      #expect(server.messages.entries == ["get plan 1", "put plan new 1", "put plan new 1"])
      try #expect(world.run(until: client.text(of: "plan")) == "new")
      server.loseAnswers()
      #expect(throws: Offline.self) { try world.run(until: client.write("newest", to: "plan")) }
      server.loseAnswers(false)
      try #expect(world.run(until: client.text(of: "plan")) == "newest")
    }
  }

  @Test("The request stops when its last reader gives up, and the next reader begins another request")
  func givingUp() throws {
    try TestWorld.run { world in
      let requests = Log<Deferred<String>>()
      let transport = Transport(
        send: { _, _ in
          let request = Deferred<String>()
          return requests.append(request, returning: request.promise)
        }, logIn: { .fulfilled("1") })
      let client = CachingClient(transport: transport)
      let readers = [client.text(of: "plan"), client.text(of: "plan").map { "Plan: \($0)" }]
      world.runUntilIdle()
      readers[0].cancel()
      #expect(requests.entries.count == 1 && requests.entries[0].promise.isPending)
      readers[1].cancel(upstream: true)
      #expect(requests.entries[0].promise.isCancelled)
      let next = client.text(of: "plan")
      world.runUntilIdle()
      requests.entries[1].fulfill("new")
      try #expect(world.run(until: next) == "new")
    }
  }
}
