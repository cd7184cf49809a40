import PromiseCombinators
import Testing

extension MemoryTests {
  /// What operators take while they wait, on promises that are there already. Lists as in `LinkMemoryTests`; beside what is named there:
  /// - 177: a side table, of a promise whose going is looked for, that has hooks, or that a combination makes.
  /// - 41, 90: storage of a set or an array.
  ///
  /// The timers are none, so that how many others there are makes no difference.
  @Suite("operators")
  struct OperatorMemoryTests {
    private let deferred = Deferred<Int>()
    private let timers = NoTimers()
    private var promise: Promise<Int> { deferred.promise }

    /// What eight more inputs take, if it is nothing but the same for each.
    private func perInput<Value>(_ combine: ([Promise<Int>]) -> Promise<Value>) -> [Int] {
      let (few, many) = (Array(repeating: promise, count: 8), Array(repeating: promise, count: 16))
      let (_, less) = Allocations.counted { combine(few) }
      let (_, more) = Allocations.counted { combine(many) }
      let links = [less, more].map { $0.requested.count { $0 == 88 } }
      #expect(more.count - less.count == links[1] - links[0])
      return Array(repeating: 88, count: links[1] - links[0])
    }

    @Test(
      "W8, rows E1 E3 E6 E7: each input takes one block, that of its observer; arrays are made once, at their full size"
    )
    func combinators() {
      let oneEach = Array(repeating: 88, count: 8)
      #expect(perInput { .all($0) } == oneEach)
      #expect(perInput { .allSettled($0) } == oneEach)
      #expect(perInput { .any($0) } == oneEach)
      #expect(perInput { .race($0) } == oneEach)
    }

    @Test("rule 4.9: a promise that is raced a million times keeps no block of it")
    func millionRaces() {
      let winner = Promise.fulfilled(1)
      // What the promise itself makes for its first loser it keeps.
      _ = Promise.race([promise, winner])
      let kept = Allocations.kept { for _ in 0..<1_000_000 { _ = Promise.race([promise, winner]) } }
      #expect(kept == 0)
    }

    @Test("row B5: after")
    func after() {
      let (promise, allocations) = Allocations.counted { Promise<Int>.after(.seconds(60), fulfill: 1, timers: timers) }
      // An owner that sees its client go, with two promises and two tables; a hook; closures.
      #expect(allocations.requested == [24, 24, 32, 32, 32, 32, 41, 56, 72, 72, 96, 177, 177])
      promise.cancel()
    }

    @Test("row D15: delay, until its time begins")
    func delay() {
      let (delayed, allocations) = Allocations.counted { promise.delay(.seconds(60), timers: timers) }
      // A `then`, and what it captures.
      #expect(allocations.requested == [48, 72, 88, 104])
      delayed.cancel()
    }

    @Test("row D16: timeout")
    func timeout() {
      let (limited, allocations) = Allocations.counted { promise.timeout(.seconds(60), timers: timers) }
      // Promise, link, observer, and closures.
      #expect(allocations.requested == [24, 32, 32, 32, 41, 72, 88, 88])
      limited.cancel()
    }

    @Test("row D17: join")
    func join() {
      let (joined, allocations) = Allocations.counted { [promise] in Promise.fulfilled(promise).join() }
      #expect(allocations.requested == [24, 24, 48, 72, 72, 104])
      joined.cancel()
    }

    @Test("row N12: one more who waits at a gate")
    func gate() {
      let gate = SerialGate()
      let inside = gate.run { [promise] in promise }
      let (_, allocations) = Allocations.counted { [promise] in gate.run { promise } }
      // The entrance, the result with its link, the ticket that tells that it has given up, and closures.
      #expect(allocations.requested == [32, 40, 48, 56, 72, 72, 104])
      withExtendedLifetime(inside) {}
    }

    @Test("row B11: a lazy promise that has not started")
    func lazy() {
      let (_, allocations) = Allocations.counted { [promise] in LazyPromise.adopting { promise } }
      // The lazy promise, its slot, its ignition, and the closures that start it.
      #expect(allocations.requested == [32, 40, 48, 48, 64])
    }
  }
}

private final class NoTimers: TimerContext, ScheduledTimer, @unchecked Sendable {
  // `@unchecked`: each test has its own.
  private var actions: [@Sendable () -> Void] = []

  init() { actions.reserveCapacity(64) }

  let elapsed = Duration.zero
  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    actions.append(action)
    return self
  }
  func cancel() -> Bool { true }
}
