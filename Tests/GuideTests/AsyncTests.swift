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

/// A cache of promises.
private actor Directory {
  private let server: Server
  private var known: [Int: Promise<User>] = [:]

  init(_ server: Server) { self.server = server }

  func user(_ id: Int) -> Promise<User> {
    let user = known[id] ?? server.user(id)
    known[id] = user
    return user
  }
}

private struct Client: Sendable {
  let server: Server
  let directory: Directory
  let log = Log<String>()
  let store = Log<String>()
  let flights = SingleFlight<Int, String>()

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

  func picture(of id: Int) async throws -> String {
    let picture = flights.run(id) { [server, store] in
      server.picture(of: id).tap { store.append($0) }  // stores inside the closure
    }
    return try await picture.value(cancelsSource: true)
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

  func print(_ number: Int, _ unit: String) { log.append("\(number) \(unit)") }

  func watch(_ upload: Promise<Void>) async {
    for await fraction in upload.progressUpdates { print(Int(fraction * 100), "%") }
  }
}

private enum Guide {
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

  @Test(
    "A cancelled Task throws at once; it stops the request of its own, not that of a cache", .rule("4.7"),
    arguments: [false, true])
  func cancelled(_ isOwn: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let waiting = Promise.task {
        isOwn ? try await client.greeting(for: 7) : try await client.name(of: 7)
      }
      world.runUntilIdle()
      #expect(waiting.isPending)
      waiting.cancel()
      world.runUntilIdle()
      #expect(waiting.isCancelled)
      #expect(client.server.answer.promise.isCancelled == isOwn)
      client.server.answer.fulfill(User())
    }
  }

  @Test("A cancelled Task that gives up spares work that another consumer wants", .rule("4.7"))
  func shared() throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let other = client.server.user(7).map { $0.name }
      let waiting = Promise.task { try await client.greeting(for: 7) }
      world.runUntilIdle()
      waiting.cancel()
      world.runUntilIdle()
      #expect(waiting.isCancelled && other.isPending)
      client.server.answer.fulfill(User())
      #expect(world.settling(other).valueNow == "Ada")
    }
  }

  @Test("A screen that is dismissed stops its request and shows nothing", .rule("4.7"), arguments: [false, true])
  func screen(_ isDismissed: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let loading = Promise.task { await client.load() }
      world.runUntilIdle()
      if isDismissed { loading.cancel() } else { client.server.answer.fulfill(User()) }
      world.runUntilIdle()
      #expect(client.log.entries == (isDismissed ? [] : ["Ada, Oslo"]))
      #expect(client.server.answer.promise.isCancelled == isDismissed)
    }
  }

  @Test("Child Tasks stop their requests if one fails, or all are cancelled", .rule("4.7"), arguments: [false, true])
  func children(_ fails: Bool) throws {
    // The answer for one user is never settled.
    try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
      let client = Client()
      let faces = Promise.task { try await client.faces() }
      world.runUntilIdle()
      let requests = client.server.pictures.entries
      #expect(requests.count == 2)
      if fails {
        for request in requests where request.id == 1 { request.answer.reject(Denied()) }
      } else {
        faces.cancel()
      }
      world.runUntilIdle()
      #expect(requests.filter { $0.answer.promise.isCancelled }.count == (fails ? 1 : 2))
      #expect(faces.isRejected && faces.isCancelled != fails)
    }
  }

  @Test("A new search stops the one before", .rule("4.4"))
  func search() throws {
    // The answer for one user is never settled.
    try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
      let server = Server()
      let search = Guide.Search(server)
      let first = Promise.task { try await search.users(named: "A") }
      world.runUntilIdle()
      let second = Promise.task { try await search.users(named: "Ad") }
      world.runUntilIdle()
      #expect(server.lists.entries.map(\.answer.promise.isCancelled) == [true, false])
      server.lists.entries[1].answer.fulfill([User()])
      #expect(world.settling(second).valueNow == [User()])
      #expect(first.isCancelled)
    }
  }

  @Test(
    "A shared request stops with its last caller, behind a link that stores; the next caller starts anew",
    .rule("4.6"))
  func flight() throws {
    // The answer for one user is never settled.
    try TestWorld.run(checking: .running.subtracting(.unhandledRejections)) { world in
      let client = Client()
      let callers = (0..<2).map { _ in Promise.task { try await client.picture(of: 7) } }
      world.runUntilIdle()
      #expect(client.server.pictures.entries.count == 1)
      callers[0].cancel()
      world.runUntilIdle()
      #expect(client.server.pictures.entries[0].answer.promise.isPending)
      callers[1].cancel()
      world.runUntilIdle()
      #expect(client.server.pictures.entries[0].answer.promise.isCancelled)

      let third = Promise.task { try await client.picture(of: 7) }
      world.runUntilIdle()
      client.server.pictures.entries.last?.answer.fulfill("face")
      #expect(world.settling(third).valueNow == "face")
      #expect(client.store.entries == ["face"])
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

  @Test(
    "Operators take async closures, whose Tasks are cancelled with the result", .feature("N15"),
    arguments: [false, true])
  func operators(_ isCancelled: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let client = Client()
      let (ids, input) = AsyncStream.makeStream(of: Int.self)
      for id in 1...2 { input.yield(id) }
      input.finish()
      let (user, users) = (client.patientUser(1), client.users(ids))
      world.runUntilIdle()
      if isCancelled {
        user.cancel()
        users.cancel()
        world.runUntilIdle()
        #expect(client.server.answer.promise.isCancelled)
      } else {
        client.server.answer.fulfill(User())
        #expect(world.settling(user).valueNow == User() && world.settling(users).valueNow == [User(), User()])
      }
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
