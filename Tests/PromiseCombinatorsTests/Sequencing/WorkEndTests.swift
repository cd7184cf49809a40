import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Loops and shared operations that wait for the work behind a promise", .leavingNothing, .rule("2.11", "4.6"))
struct WorkEndTests {
  private let world = TestWorld()
  private let begun = Log<Int>()

  /// Operations with a limit of one second whose work goes on after that, until its owner's hook has ended.
  private final class Operations: Sendable {
    let owners: [Deferred<Int>]
    let stopped: [Deferred<Void>]

    init(_ count: Int) {
      owners = (0..<count).map { _ in Deferred<Int>() }
      stopped = (0..<count).map { _ in Deferred<Void>() }
      for (owner, stopped) in zip(owners, stopped) { owner.onCancelThen(on: .atOnce) { _ in stopped.promise } }
    }

    func limited(_ number: Int) -> Promise<Int> { owners[number].promise.timeout(.seconds(1)) }

    func replaced(_ number: Int) -> Promise<Int> { limited(number).recover(on: .atOnce) { _ in -number } }
  }

  private func elements(_ count: Int, isAsync: Bool, _ body: @escaping @Sendable (Int) -> Promise<Int>)
    -> (WorkEnd) -> Promise<[Int]>
  {
    { [world, begun] end in
      let body: @Sendable (Int) throws -> Promise<Int> = { number in begun.append(number, returning: body(number)) }
      if !isAsync { return .traverse(0..<count, concurrency: 2, until: end, on: world.main, body) }
      let numbers = AsyncStream<Int> { stream in
        for number in 0..<count { stream.yield(number) }
        stream.finish()
      }
      return .traverse(numbers, concurrency: 2, until: end, on: world.main, body)
    }
  }

  @Test("traverse calls its closure when fewer elements have work that runs", arguments: [false, true])
  func traverse(isAsync: Bool) {
    let operations = Operations(5)
    let start = elements(5, isAsync: isAsync) { number in operations.replaced(number) }
    let result = world.start { start(.finished) }
    #expect(begun.entries == [0, 1])
    world.advance(by: .seconds(1))
    #expect(begun.entries == [0, 1])
    world.runUntilIdle(after: operations.stopped[1].fulfill())
    #expect(begun.entries == [0, 1, 2])
    world.runUntilIdle(after: operations.owners[2].fulfill(2))
    #expect(begun.entries == [0, 1, 2, 3])
    world.runUntilIdle(after: operations.stopped[0].fulfill())
    #expect(begun.entries == [0, 1, 2, 3, 4])
    for number in 3..<5 { operations.owners[number].fulfill(number) }
    world.runUntilIdle()
    #expect(result.state.value == [0, -1, 2, 3, 4])
    #expect(result.isFinished)
  }

  @Test("Without a parameter, traverse calls its closure when fewer promises are pending", arguments: [false, true])
  func settledTraverse(isAsync: Bool) {
    let operations = Operations(4)
    let start = elements(4, isAsync: isAsync) { number in operations.replaced(number) }
    let result = world.start { start(.settled) }
    world.advance(by: .seconds(1))
    #expect(begun.entries == [0, 1, 2, 3])
    world.advance(by: .seconds(1))
    #expect(result.state.value == [0, -1, -2, -3])
    #expect(!result.isFinished)
    for stopped in operations.stopped { stopped.fulfill() }
    world.runUntilIdle()
    #expect(result.isFinished)
  }

  @Test(
    "The result of traverse settles with its promises, and not with the work behind them", arguments: [false, true])
  func resultOfTraverse(isAsync: Bool) {
    let operations = Operations(2)
    let start = elements(2, isAsync: isAsync) { number in operations.replaced(number) }
    let result = world.start { start(.finished) }
    world.advance(by: .seconds(1))
    #expect(result.state.value == [0, -1])
    #expect(!result.isFinished)
    for stopped in operations.stopped { stopped.fulfill() }
    world.runUntilIdle()
    #expect(result.isFinished)
  }

  @Test("A traverse that waits for work ends when it is cancelled or an element fails", arguments: [false, true])
  func endedTraverse(isCancelled: Bool) {
    let operations = Operations(4)
    let start = elements(4, isAsync: false) { number in
      number == 0 ? operations.replaced(0) : operations.owners[number].promise
    }
    let result = world.start { start(.finished) }
    world.advance(by: .seconds(1))
    #expect(begun.entries == [0, 1])
    if isCancelled { result.cancel() } else { operations.owners[1].reject(TestError(1)) }
    world.runUntilIdle()
    #expect(isCancelled ? result.isCancelled : result.failure == .test(1))
    for stopped in operations.stopped { stopped.fulfill() }
    world.runUntilIdle()
    #expect(begun.entries == [0, 1])
  }

  /// The attempts of a `retry` with a limit of one second for each.
  private func attempts(until end: WorkEnd, within limit: Duration? = nil, of operations: Operations) -> Promise<Int> {
    world.start {
      .retry(attempts: 3, backoff: .constant(.seconds(10)), within: limit, until: end, on: world.main) { number in
        begun.append(number, returning: operations.limited(number - 1))
      }
    }
  }

  @Test("retry begins the pause when the work behind the failed attempt has finished")
  func retry() {
    let operations = Operations(3)
    let result = attempts(until: .finished, of: operations)
    world.advance(by: .seconds(30))
    #expect(begun.entries == [1])
    world.runUntilIdle(after: operations.stopped[0].fulfill())
    world.advance(by: .seconds(9))
    #expect(begun.entries == [1])
    world.advance(by: .seconds(1))
    #expect(begun.entries == [1, 2])
    world.runUntilIdle(after: operations.owners[1].fulfill(2))
    #expect(result.state.value == 2)
  }

  @Test("Without a parameter, retry begins the pause when the attempt is rejected")
  func settledRetry() {
    let operations = Operations(3)
    let result = attempts(until: .settled, of: operations)
    world.advance(by: .seconds(11))
    #expect(begun.entries == [1, 2])
    world.runUntilIdle(after: operations.owners[1].fulfill(2))
    #expect(result.state.value == 2)
    world.runUntilIdle(after: operations.stopped[0].fulfill())
  }

  @Test("retry makes no further attempt if the pause after the finish would end after the limit")
  func retryWithin() {
    let operations = Operations(3)
    let result = attempts(until: .finished, within: .seconds(15), of: operations)
    world.advance(by: .seconds(6))
    #expect(result.isPending)
    world.runUntilIdle(after: operations.stopped[0].fulfill())
    #expect(result.failure?.code == .timedOut)
    #expect(begun.entries == [1])
  }

  @Test("A retry that waits for the finish of an attempt ends when it is cancelled")
  func cancelledRetry() {
    let operations = Operations(3)
    let result = attempts(until: .finished, of: operations)
    world.advance(by: .seconds(1))
    world.runUntilIdle(after: result.cancel())
    #expect(result.isCancelled)
    #expect(!result.isFinished)
    world.runUntilIdle(after: operations.stopped[0].fulfill())
    world.advance(by: .seconds(30))
    #expect(begun.entries == [1])
    #expect(result.isFinished)
  }

  @Test("A shared operation starts when the one before it for its key has finished", arguments: [false, true])
  func singleFlight(until isFinished: Bool) {
    let operations = Operations(4)
    let flights = SingleFlight<Clashing, Int>(until: isFinished ? .finished : .settled)
    @Sendable func load(_ key: Int, _ number: Int) -> Promise<Int> {
      world.start {
        flights.run(for: Clashing(number: key), on: world.main) {
          begun.append(number, returning: operations.owners[number].promise)
        }
      }
    }
    let first = load(1, 0)
    world.runUntilIdle(after: first.cancel())
    let other = load(2, 1)
    #expect(begun.entries == [0, 1])
    let second = load(1, 2)
    #expect(begun.entries == (isFinished ? [0, 1] : [0, 1, 2]))
    if isFinished {
      #expect(String(reflecting: second).contains("earlier operations for the same key"))
      #expect(second.causes.map(\.kind) == [.owner])
      // A caller that gives up before the operation starts is not waited for.
      world.runUntilIdle(after: second.cancel())
      let third = load(1, 3)
      #expect(begun.entries == [0, 1])
      world.runUntilIdle(after: operations.stopped[0].fulfill())
      #expect(begun.entries == [0, 1, 3])
      world.runUntilIdle(after: operations.owners[3].fulfill(3))
      #expect(third.state.value == 3)
    } else {
      world.runUntilIdle(after: operations.owners[2].fulfill(2))
      #expect(second.state.value == 2)
      operations.stopped[0].fulfill()
    }
    world.runUntilIdle(after: operations.owners[1].fulfill(1))
    #expect(other.state.value == 1)
    #expect(flights.debugDescription.contains("0 in progress"))
  }

  @Test("A cleanup that waits for the next operation of its own key fails as a ring", .rule("3.2"), arguments: [0, 2])
  func ringOfFlights(links: Int) {
    let reports = Log<PromiseError.Code?>()
    let context = ManualContext()
    let hook: @Sendable (UnhandledRejection) -> Void = { reports.append(($0.error as? PromiseError)?.code) }
    Diagnostics.scoped(unhandledRejection: hook) {
      let flights = SingleFlight<Int, Int>(until: .finished)
      let work = Deferred<Int>()
      @Sendable func load(_ number: Int) -> Promise<Int> {
        flights.run(for: 0, on: context) { [begun] in
          begun.append(number)
          if number > 0 { return .fulfilled(number) }
          return work.promise.alwaysThen(on: context) { _ in
            (0..<links).reduce(load(1)) { next, _ in next.map(on: context) { $0 } }.asVoid()
          }
        }
      }
      let first = load(0)
      context.runUntilIdle()
      first.cancel()
      context.runUntilIdle()
      #expect(work.promise.isCancelled)
      #expect(begun.entries == [0, 1])
      let last = load(2)
      context.runUntilIdle()
      #expect(last.state.value == 2)
    }
    #expect(reports.entries == [.cycle])
  }

  /// A key that calls a closure when it is compared with one that was known before.
  private struct Key: Hashable {
    var onEquals: @Sendable () -> Void = {}

    static func == (known: Key, new: Key) -> Bool {
      new.onEquals()
      return true
    }

    func hash(into hasher: inout Hasher) {}
  }

  @Test("A cleanup that joins an operation before that waits for the cleanup fails as a ring", .rule("3.2"))
  func ringClosedByFlight() {
    let context = ManualContext()
    let flights = SingleFlight<Key, Int>(until: .finished)
    let work = Deferred<Int>()
    let joined = Log<Promise<Int>>()
    let first = flights.run(for: Key(), on: context) {
      work.promise.alwaysThen(on: context) { _ in
        joined.append(flights.run(for: Key(), on: context) { .fulfilled(1) })
        return joined.entries[0].asVoid()
      }
    }
    context.runUntilIdle()
    first.cancel()
    let second = flights.run(for: Key { context.runUntilIdle() }, on: context) { .fulfilled(2) }
    context.runUntilIdle()
    #expect(second.failure?.code == .cycle)
    #expect(joined.entries.map(\.failure?.code) == [.cycle])
    let third = flights.run(for: Key(), on: context) { .fulfilled(3) }
    context.runUntilIdle()
    #expect(third.state.value == 3)
  }
}
