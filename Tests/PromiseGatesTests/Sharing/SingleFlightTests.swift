import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("SingleFlight", .leavingNothing) struct SingleFlightTests {
  let world = TestWorld()
  let flights = SingleFlight<String, Int>()
  let owners = (0..<4).map { _ in Deferred<Int>() }
  let begun = Log<String>()

  /// Asks for a key. Each flight that begins gets the outcome of the next owner.
  func ask(_ key: String = "key", on context: (any ExecutionContext)? = nil) -> Promise<Int> {
    world.run {
      flights.run(for: key, on: context ?? world.main) { [begun, owners] in
        begun.append(key, returning: owners[begun.entries.count - 1].promise)
      }
    }
  }

  @Test("SingleFlight calls a single closure per key, and not inside the call", .rule("2.1"))
  func keys() {
    let results = [ask("a"), ask("b"), ask("a"), ask("b")]
    #expect(begun.entries.isEmpty)
    world.runUntilIdle()
    #expect(begun.entries == ["a", "b"])
    owners[0].fulfill(0)
    owners[1].reject(TestError(1))
    #expect(
      results.map(\.state.value) == [0, nil, 0, nil] && results.map(\.failure) == [nil, .test(1), nil, .test(1)])
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test("A client that asks before or during the flight joins it, and each client gets its own promise")
  func late() {
    let first = ask()
    let second = ask()
    world.runUntilIdle()
    owners[0].report(progress: 0.5)
    let third = ask()
    #expect(first !== second)
    #expect(third.progress == 0.5)
    #expect(second.progress == 0.5)
    second.cancel()
    owners[0].fulfill(7)
    #expect(first.state.value == 7)
    #expect(third.state.value == 7)
    #expect(second.isCancelled)
  }

  @Test("A call after the flight has settled starts a new flight, even in an observer", arguments: [false, true])
  func anew(_ isFulfilled: Bool) {
    let first = ask()
    let again = Log<Promise<Int>>()
    world.runUntilIdle()
    first.onSettled(on: world.main) { _ in again.append(ask()) }
    if isFulfilled { owners[0].fulfill(1) } else { owners[0].reject(TestError(1)) }
    let second = ask()
    world.runUntilIdle()
    #expect(begun.entries.count == 2)
    owners[1].fulfill(2)
    #expect(second.state.value == 2)
    #expect(again.entries.map(\.state.value) == [2])
  }

  @Test("Keys with the same hash stay separate, in any order in which flights begin and end")
  func clashing() {
    let flights = SingleFlight<Clashing, Int>()
    let owners = (0..<5).map { _ in Deferred<Int>() }
    let begun = Log<Int>()
    let ask: @Sendable (Int) -> Promise<Int> = { [world] number in
      flights.run(for: Clashing(number: number), on: world.main) {
        begun.append(number, returning: owners[number].promise)
      }
    }
    let results = (0..<5).map { ask($0) }
    world.runUntilIdle()
    #expect(begun.entries == [0, 1, 2, 3, 4])
    results[2].cancel()
    owners[0].fulfill(0)
    owners[4].fulfill(4)
    #expect(owners[2].promise.isCancelled)
    #expect(results.map(\.isPending) == [false, true, false, true, false])
    let again = [ask(1), ask(3), ask(0)]
    world.runUntilIdle()
    #expect(begun.entries == [0, 1, 2, 3, 4, 0])
    owners[1].fulfill(10)
    owners[3].fulfill(30)
    #expect([results[1], results[3]].map(\.state.value) == [10, 30])
    #expect(again.map(\.state.value) == [10, 30, 0])
  }

  @Test("A finished flight keeps nothing, and flights go on if no client holds the SingleFlight", .rule("6.1", "6.3"))
  func lifetime() throws {
    let census = Tracked.Census()
    try TestWorld.run { world in
      let log = Log<Int>()
      do {
        let flights = world.track(SingleFlight<Int, Tracked>())
        for number in 0..<300 {
          let result = flights.run(for: number % 100, on: world.main) { .fulfilled(Tracked(census)) }
          result.onFulfilled(on: world.main) { _ in log.append(number) }
        }
      }
      world.runUntilIdle()
      world.expect(log.entries.count == 300 && census.living == 0 && census.peak <= 100)
    }
  }

  @Test("The error of a flight is reported only for a client that neither handles it nor gives up", .rule("7.1"))
  func unhandled() {
    let reports = reported {
      let context = ManualContext()
      let flights = SingleFlight<Int, Int>()
      for number in 0..<2 {
        let results = (0..<3).map { _ in flights.run(for: number, on: context) { .rejected(TestError(number)) } }
        results[0].cancel()
        _ = results[1].recover(on: context) { _ in 0 }
        if number == 0 { _ = results[2].recover(on: context) { _ in 0 } }
        context.runUntilIdle()
      }
    }
    #expect(reports == [1])
  }

  @Test("A cancelled Task stops the work behind a result inside the call", .rule("4.7"), arguments: [false, true])
  func cancelledTask(isCache: Bool) throws {
    try TestWorld.run { world in
      let work = Deferred<Int>()
      let cache = ValueCache<Int, Int>()
      @Sendable func ask() -> Promise<Int> {
        isCache
          ? cache.value(for: 0, on: world.main) { work.promise }
          : flights.run(for: "key", on: world.main) { work.promise }
      }
      let other = ask()
      let task = Task(executorPreference: world.taskExecutor) { try? await ask().value(cancelsSource: true) }
      world.runUntilIdle()
      other.cancel()
      #expect(work.promise.isPending)
      task.cancel()
      #expect(work.promise.isCancelled)
      world.runUntilIdle()
    }
  }

  private enum Local { @TaskLocal static var number = 0 }

  @Test(
    "An async flight that begins in a deinit, inside a handler of the library, has the values of its caller",
    .rule("8.3"), arguments: [0, 20])
  func beginsInDeinit(outerCount: Int) async throws {
    let flights = SingleFlight<Int, Int>()
    @Sendable func begin(_ level: Int) async throws -> Int {
      if level > 0 { return try await flights.asyncRun(for: level) { try await begin(level - 1) }.value }
      let owner = Deferred<Promise<Int>>()
      let begun = Log<Promise<Int>>()
      var last: AtEnd? = AtEnd {
        Local.$number.withValue(7) { begun.append(flights.asyncRun(for: 0) { Local.number }) }
      }
      // The handler of `join` adopts a rejected promise, which releases the closure of `map`.
      let number = owner.promise.join().map { [last] number in withExtendedLifetime(last) { number } }.recover { _ in 0
      }
      last = nil
      owner.fulfill(.rejected(TestError(1)))
      let promise = try #require(begun.entries.first)
      let result = try await promise.value
      _ = try await number.value
      return result
    }
    #expect(try await begin(outerCount) == 7)
  }

  @Test("A flight whose work waits for itself is rejected as a ring", .rule("3.2"))
  func ring() {
    let result = world.start {
      flights.run(for: "key", on: world.main) { [flights, world] in
        flights.run(for: "key", on: world.main) { .fulfilled(1) }.map(on: world.main) { $0 }
      }
    }
    #expect(result.failure?.code == .cycle)
  }

  /// Lets clients ask for a flight that waits for itself, and returns the lines of the reports.
  private func reportsOfRing(isMapped: Bool, clients: Int, _ attach: (Promise<Int>, ManualContext) -> Void) -> [Int] {
    let reports = Log<Int>()
    let context = ManualContext()
    let flights = SingleFlight<Int, Int>()
    let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0.createdAt.line) }
    Diagnostics.scoped(unhandledRejection: hook) {
      for client in 1...clients {
        let result = flights.run(for: 0, on: context, line: UInt(client)) {
          let result = flights.run(for: 0, on: context, line: 99) { .fulfilled(1) }
          return isMapped ? result.map(on: context, line: 98) { $0 } : result
        }
        attach(result, context)
      }
      context.runUntilIdle()
    }
    return reports.entries.sorted()
  }

  @Test(
    "A flight that waits for itself reports nothing if each client handles its result", .rule("7.1", "3.2"),
    arguments: [false, true], [1, 3])
  func handledRing(isMapped: Bool, clients: Int) {
    let lines = reportsOfRing(isMapped: isMapped, clients: clients) { result, context in
      result.catch(on: context) { _ in }
    }
    #expect(lines == [])
  }

  @Test(
    "A flight that waits for itself is reported once for each client that does not handle its result",
    .rule("7.1", "3.2"), arguments: [false, true], [1, 3])
  func unhandledRing(isMapped: Bool, clients: Int) {
    let lines = reportsOfRing(isMapped: isMapped, clients: clients) { _, _ in }
    #expect(lines == Array(1...clients))
  }

  @Test("A flight that all clients cancel before its start never runs and releases its captures")
  func cancelledBefore() {
    let census = Tracked.Census()
    let context = ManualContext()
    let results = world.run {
      (0..<3).map { _ in
        flights.run(for: "key", on: context) { [tracked = Tracked(census), begun] in
          withExtendedLifetime(tracked) { begun.append("run") }
          return .fulfilled(1)
        }
      }
    }
    #expect(census.living == 1, "those of the others are not needed")
    results[0].cancel()
    results[2].cancel(upstream: true)
    #expect(results[1].isPending, "one is left, though not the one whose closure it is")
    #expect(census.living == 1, "one is left, though not the one whose closure it is")
    results[1].cancel()
    #expect(census.living == 0)
    let next = ask()
    world.runUntilIdle()
    context.runUntilIdle()
    #expect(begun.entries == ["key"])
    #expect(next.isPending)
  }

  @Test("A result that a client releases does not count as cancelled, so the flight goes on")
  func forgotten() {
    do { _ = ask() }
    world.runUntilIdle()
    #expect(begun.entries.count == 1 && owners[0].promise.isPending)
    ask().cancel()
    #expect(owners[0].promise.isPending, "the first still waits, though nobody sees it")
  }

  @Test(
    "A client that cancels its root or gives up its result affects no other client of the flight", .rule("4.10"),
    arguments: [false, true])
  func apart(_ givesUp: Bool) {
    let results = [ask(), ask()]
    world.runUntilIdle()
    let label = results[0].map(on: world.main) { $0 }
    #expect(label.root === results[0] && results[0].parent == nil)
    if givesUp { label.cancel(upstream: true) } else { label.root.cancel() }
    #expect(results[0].isCancelled && results[1].isPending && owners[0].promise.isPending)
    results[1].cancel(upstream: true)
    #expect(owners[0].promise.isCancelled)
  }
}
