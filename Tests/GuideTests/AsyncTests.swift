import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

// The snippets of Docs/Async.md, word for word: `make lint` checks that they are here.

private struct User: Sendable, Equatable {
  var name = "Ada"
  var address = "Oslo"
}

private struct Token: Sendable, Equatable { let number: Int }
private struct Denied: Error {}

/// Answers when the test says so.
private final class Server: Sendable {
  let answer = Deferred<User>()
  private let tokens = Locked(0)
  private let refusals: Int

  init(refusals: Int = 0) { self.refusals = refusals }

  func user(_ id: Int) -> Promise<User> { answer.promise }

  var tokensAsked: Int { tokens.withLock { $0 } }

  func token() async throws -> Token {
    let number = tokens.increment()
    if number <= refusals { throw Denied() }
    return Token(number: number)
  }
}

private final class Sensor: Sendable {
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

private struct Client: Sendable {
  let server: Server
  let log = Log<String>()

  init(_ server: Server = Server()) { self.server = server }

  func greeting(for id: Int) async throws -> String {
    let user = try await server.user(id).value
    return "Hello, \(user.name)!"
  }

  func name(of id: Int) async throws -> String {
    let name = server.user(id).map { $0.name }
    return try await withTaskCancellationHandler {
      try await name.value
    } onCancel: {
      name.cancel(upstream: true)
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

  func quickGreeting(for id: Int) async throws -> String {
    let user = server.user(id).timeout(.seconds(3), cancelsSource: true)
    return try await "Hello, \(user.value.name)!"
  }

  func nextReading(of sensor: Sensor) async throws -> Int {
    func nextReading() async throws -> Int {
      try await Promise { reading in sensor.read(completion: reading.resolve) }.value
    }
    return try await nextReading()
  }

  func print(_ number: Int, _ unit: String) { log.append("\(number) \(unit)") }

  func watch(_ upload: Promise<Void>) async {
    for await fraction in upload.progressUpdates { print(Int(fraction * 100), "%") }
  }
}

private enum Guide {
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
}

@Suite("The guide to async code, rows G5 L15 N3")
struct AsyncTests {
  @Test("rule 4.7: value gives the value")
  func value() throws {
    let greeting = try TestWorld.run { _ in
      let client = Client()
      client.server.answer.fulfill(User())
      return try await client.greeting(for: 7)
    }
    #expect(greeting == "Hello, Ada!")
  }

  @Test("rule 4.7: a Task that is cancelled does not wait, and the promise goes on", arguments: [false, true])
  func cancelled(_ abandons: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let waiting = Promise.task {
        abandons ? try await client.name(of: 7) : try await client.greeting(for: 7)
      }
      world.runUntilIdle()
      #expect(waiting.isPending)
      waiting.cancel()
      world.runUntilIdle()
      #expect(waiting.isCancelled)
      #expect(client.server.answer.promise.isCancelled == abandons)
      client.server.answer.fulfill(User())
    }
  }

  @Test("rule 4.6: who abandons its own promise does not stop work that others want")
  func shared() throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let other = client.server.user(7).map { $0.name }
      let waiting = Promise.task { try await client.name(of: 7) }
      world.runUntilIdle()
      waiting.cancel()
      world.runUntilIdle()
      #expect(waiting.isCancelled && other.isPending)
      client.server.answer.fulfill(User())
      #expect(world.settling(other).valueNow == "Ada")
    }
  }

  @Test("row L15: a promise of async code")
  func task() throws {
    // The answers of the servers are nobody's.
    try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
      #expect(world.settling(Client().login()).valueNow == Token(number: 1))
      #expect(world.settling(Client(Server(refusals: 1)).login()).errorNow is Denied)
    }
  }

  @Test("async links", arguments: ["Oslo", ""])
  func links(_ address: String) throws {
    try TestWorld.run { world in
      let client = Client()
      let town = client.homeTown(of: 7)
      client.server.answer.fulfill(User(address: address))
      #expect(world.settling(town).valueNow == (address.isEmpty ? "the town of nowhere" : "the town of Oslo"))
      #expect(client.log.entries == ["audit Ada"])
    }
  }

  @Test("rules 1.3 and 6.2: a Deferred in place of a continuation", arguments: Sensor.Habit.allCases)
  fileprivate func completer(_ habit: Sensor.Habit) async {
    let late = Log<SecondSettlement>()
    await Diagnostics.scoped(secondSettlement: late.append) {
      do {
        let reading = try await Client().nextReading(of: Sensor(habit))
        #expect(reading == 1)
        #expect(habit == .answers || habit == .answersTwice)
      } catch {
        #expect(name(of: error) == (habit == .forgets ? "broken" : "Denied()"))
        #expect(habit == .forgets || habit == .fails)
      }
    }
    #expect(late.entries.count == (habit == .answersTwice ? 1 : 0))
  }

  @Test("row L15: many wait for one token; one that failed is fetched anew")
  func many() async throws {
    let server = Server(refusals: 1)
    let session = Guide.Session(server)
    await #expect(throws: Denied.self) { try await session.authorized() }
    async let first = session.authorized()
    async let second = session.authorized()
    let tokens = try await [first, second, session.authorized()]
    #expect(tokens == Array(repeating: Token(number: 2), count: 3))
    #expect(server.tokensAsked == 2)
  }

  @Test("rule 4.9, row D16: a timeout that does not wait for what it has cancelled", arguments: [false, true])
  func timeout(_ comesInTime: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let greeting = Promise.task { try await client.quickGreeting(for: 7) }
      world.advance(by: .milliseconds(2_999))
      #expect(greeting.isPending)
      if comesInTime { client.server.answer.fulfill(User()) }
      world.advance(by: .milliseconds(1))
      #expect(greeting.valueNow == (comesInTime ? "Hello, Ada!" : nil))
      #expect(client.server.answer.promise.isCancelled != comesInTime)
      if !comesInTime { #expect(name(of: greeting.errorNow) == "timedOut") }
    }
  }

  @Test("row N8: progress is a sequence that ends with the promise")
  func progress() async {
    let client = Client()
    let upload = Deferred<Void>()
    upload.report(progress: 0.5)
    upload.fulfill()
    await client.watch(upload.promise)
    #expect(client.log.entries == ["100 %"])
  }
}
