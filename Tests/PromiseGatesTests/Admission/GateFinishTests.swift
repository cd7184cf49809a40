import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("A place in a gate, and the work that a guest leaves behind", .leavingNothing, .rule("4.6"))
struct GateFinishTests {
  private let world = TestWorld()

  /// Gates that admit one guest at a time, until a given moment.
  struct Kind: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable () throws -> Promise<Int>

    let testDescription: String
    let make: @Sendable (WorkEnd) -> (any ExecutionContext, @escaping Body) -> Promise<Int>

    static let all = [
      Kind(testDescription: "serial") { end in
        let gate = SerialGate(until: end)
        return { gate.run(on: $0, $1) }
      },
      Kind(testDescription: "limit") { end in
        let gate = ConcurrencyLimit(1, until: end)
        return { gate.run(on: $0, $1) }
      },
      Kind(testDescription: "writers") { end in
        let gate = ReadersWriterGate(until: end)
        return { gate.write(on: $0, $1) }
      },
    ]
  }

  /// An event that settles the promise of a guest while its work goes on.
  enum Event: CaseIterable, Sendable { case cancelledResult, cancelledGuest, limit }

  @Test(
    "The place of a guest is free when its promise has finished, or when it is settled", .rule("2.11"),
    arguments: Kind.all, Event.allCases)
  func place(_ kind: Kind, _ event: Event) {
    for end in [WorkEnd.finished, .settled] {
      let owner = Deferred<Int>()
      let stopped = Deferred<Void>()
      owner.onCancelThen(on: .atOnce) { _ in stopped.promise }
      let run = kind.make(end)
      let first = world.start {
        run(world.main) { event == .limit ? owner.promise.timeout(.seconds(1)) : owner.promise }
      }
      let second = world.start { run(world.main) { .fulfilled(2) } }
      switch event {
      case .cancelledResult: first.cancel()
      case .cancelledGuest: owner.promise.cancel()
      case .limit: world.advance(by: .seconds(1))
      }
      world.runUntilIdle()
      #expect(first.isRejected)
      #expect(second.isFulfilled == (end == .settled))
      world.runUntilIdle(after: stopped.fulfill())
      #expect(second.isFulfilled)
      _ = first.error
    }
  }

  @Test("With a cancelled use inside, a limit of connections is not exceeded")
  func connections() {
    let limit = ConcurrencyLimit(1)
    let opened = Log<Int>()
    let closed = Log<Int>()
    let closing = Deferred<Void>()
    let guests = Guests(2)
    let results = world.start {
      (0..<2).map { number in
        limit.run(on: world.main) {
          .using(
            { .fulfilled(opened.append(number, returning: number)) },
            release: { number in closing.promise.map(on: .atOnce) { closed.append(number) } }, on: .atOnce
          ) { number in try guests.body(number)() }
        }
      }
    }
    results[0].cancel(upstream: true)
    world.runUntilIdle()
    #expect(opened.entries == [0])
    world.runUntilIdle(after: closing.fulfill())
    #expect(closed.entries == [0])
    #expect(opened.entries == [0, 1])
    world.runUntilIdle(after: results[1].cancel(upstream: true))
  }

  @Test("An async closure that was cancelled keeps its place until it has returned, or gives it back at once")
  func asyncClosure() {
    for end in [WorkEnd.finished, .settled] {
      let limit = ConcurrencyLimit(1, until: end)
      let work = Deferred<Void>()
      let first = world.start {
        limit.asyncRun {
          await withCheckedContinuation { done in work.promise.onSettled(on: .atOnce) { _ in done.resume() } }
        }
      }
      let second = world.start { limit.run(on: world.main) { .fulfilled(2) } }
      #expect(limit.runningCount == 1)
      world.runUntilIdle(after: first.cancel())
      #expect(second.isFulfilled == (end == .settled))
      world.runUntilIdle(after: work.fulfill())
      #expect(second.isFulfilled)
      #expect(limit.runningCount == 0)
    }
  }

  @Test("A Task that is cancelled before it begins gives the place of its closure back", arguments: [1, 4])
  func cancelledTask(_ places: Int) {
    let limit = ConcurrencyLimit(places)
    let results = world.run { (0..<3).map { number in limit.asyncRun { number } } }
    for result in results { result.cancel() }
    world.runUntilIdle()
    #expect(limit.runningCount == 0)
    #expect(limit.waitingCount == 0)
    let next = world.start { (0..<places).map { number in limit.asyncRun { number } } }
    #expect(next.allSatisfy { $0.isFulfilled })
  }

  /// The way in which the operation in a gate ends.
  enum Ending: CaseIterable, Sendable { case value, thrown, returnedError, dropped, asyncValue, asyncError, cancelled }

  @Test("When whenIdle is fulfilled, each result is settled", arguments: Ending.allCases)
  func idle(_ ending: Ending) throws {
    try TestWorld.explore(schedules: 50, seed: 1, checking: .all.subtracting(.unhandledRejections)) { world in
      let gate = ConcurrencyLimit(2)
      var context: ManualContext? = ManualContext()
      let work = Deferred<Int>()
      let results = (0..<2).map { number -> Promise<Int> in
        switch ending {
        case .value: gate.run { .fulfilled(number) }
        case .thrown: gate.run { throw TestError(number) }
        case .returnedError: gate.run { .rejected(TestError(number)) }
        case .dropped: gate.run(on: context ?? ManualContext()) { .fulfilled(number) }
        case .asyncValue: gate.asyncRun { number }
        case .asyncError: gate.asyncRun { throw TestError(number) }
        case .cancelled: gate.asyncRun { try await work.promise.value }
        }
      }
      let settled = Log<Bool>()
      gate.whenIdle().onFulfilled(on: .atOnce) { settled.append(results.allSatisfy { !$0.isPending }) }
      if ending == .cancelled { for result in results { result.cancel() } }
      context = nil
      world.runUntilIdle()
      world.expect(settled.entries == [true])
      for result in results { _ = result.error }
    }
  }

  @Test("On threads, too, each result is settled when whenIdle is fulfilled")
  func idleOnThreads() async throws {
    for _ in 0..<100 {
      let gate = ConcurrencyLimit(4)
      let results = (0..<8).map { number in
        number.isMultiple(of: 2) ? gate.asyncRun { number } : gate.run { .fulfilled(number) }
      }
      let pending = Log<Int>()
      let idle = gate.whenIdle()
      idle.onFulfilled(on: .atOnce) { pending.append(results.count { $0.isPending }) }
      try await idle.value
      #expect(pending.entries == [0])
    }
  }

  @Test("whenEmpty is fulfilled when no operation is inside, although others wait")
  func empty() {
    let guests = Guests(3)
    let limit = ConcurrencyLimit(2)
    #expect(limit.whenEmpty().isFulfilled)
    let results = world.start { (0..<3).map { limit.run(on: world.main, guests.body($0)) } }
    limit.isPaused = true
    let empty = world.run { [limit.whenEmpty(), limit.whenEmpty()] }
    let idle = world.run { limit.whenIdle() }
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(empty.allSatisfy { $0.isPending })
    world.runUntilIdle(after: guests.owners[1].fulfill(1))
    #expect(empty.allSatisfy { $0.isFulfilled })
    #expect(idle.isPending)
    #expect(limit.waitingCount == 1)
    limit.isPaused = false
    world.runUntilIdle()
    #expect(limit.whenEmpty().isPending)
    world.runUntilIdle(after: guests.owners[2].fulfill(2))
    #expect(idle.isFulfilled)
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  private struct Database {
    let entered: Log<Int>

    func replace() -> Promise<Void> { .fulfilled(entered.append(-1)) }
  }

  @Test("A paused gate that is empty leaves its resource to the program, as the documentation shows")
  func replacement() {
    let guests = Guests(2)
    let gate = SerialGate()
    let database = Database(entered: guests.entered)
    let results = world.start { (0..<2).map { gate.run(on: world.main, guests.body($0)) } }
    world.run {
      gate.isPaused = true
      let replaced = gate.whenEmpty().then { database.replace() }.always { _ in gate.isPaused = false }
      replaced.onFulfilled(on: .atOnce) { guests.entered.append(-2) }
    }
    world.runUntilIdle()
    #expect(guests.entered.entries == [0])
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(guests.entered.entries.sorted() == [-2, -1, 0, 1])
    #expect(guests.entered.entries[1] == -1)
    world.runUntilIdle(after: guests.owners[1].fulfill(1))
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("whenEmpty is fulfilled before the next operation is admitted")
  func emptyBetween() {
    let guests = Guests(2)
    let gate = SerialGate()
    let results = world.start { (0..<2).map { gate.run(on: .atOnce, guests.body($0)) } }
    let entered = Log<[Int]>()
    world.run { gate.whenEmpty() }.onFulfilled(on: .atOnce) { entered.append(guests.entered.entries) }
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(entered.entries == [[0]])
    world.runUntilIdle(after: guests.owners[1].fulfill(1))
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("whenEmpty is fulfilled before the next operation is admitted, also if the last one is released", .rule("4.6"))
  func emptyAfterRelease() {
    let gate = SerialGate()
    let steps = Log<String>()
    var first: Deferred<Int>? = Deferred()
    let second = Deferred<Int>()
    let results = [
      gate.run(on: .atOnce) { [promise = first!.promise] in promise },
      gate.run(on: .atOnce) {
        steps.append("second")
        return second.promise
      },
    ]
    gate.whenEmpty().onFulfilled(on: .atOnce) { steps.append("\(gate.runningCount) inside") }
    first = nil
    #expect(steps.entries == ["0 inside", "second"])
    second.fulfill(2)
    #expect(results.map(\.isPending) == [false, false])
  }

  @Test("A gate is no client of the promise that the closure has returned", .rule("4.0", "4.6"))
  func noClient() {
    let gate = SerialGate()
    let work = Deferred<Int>(cancelsWithoutClients: true)
    var client: Promise<Int>? = work.promise
    let other = client!.map(on: .atOnce) { $0 }
    let result = gate.run(on: .atOnce) { [client] in client! }
    #expect(gate.runningCount == 1)
    result.cancel()
    client = nil
    // The last consumer. No client is left.
    other.cancel()
    #expect(gate.runningCount == 0)
  }

  @Test("The promise of whenEmpty names the operations inside as its cause")
  func description() {
    let guests = Guests(1)
    let limit = ConcurrencyLimit(1, label: "files")
    let result = world.start { limit.run(on: world.main, guests.body(0)) }
    let empty = world.run { limit.whenEmpty() }
    #expect(String(reflecting: empty).contains("the end of the operations inside the ConcurrencyLimit \"files\""))
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(result.isFulfilled)
    #expect(empty.isFulfilled)
  }
}
