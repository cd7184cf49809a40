import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: gates with a long history")
  struct GateMemoryTests {
    let context = ManualContext()
    let world = TestWorld()

    @Test(
      "A rate limit keeps nothing of started operations, and neither does the promise for which they waited",
      .rule("4.9"))
    func rate() {
      let patient = Deferred<Int>()
      let wanted = patient.promise.map(on: context) { $0 }
      let limit = RateLimit(.max, per: .seconds(1), timers: world.clock)
      expectGrowth(below: 256 << 10) {
        for _ in 0..<20_000 {
          let result = limit.run(on: context) { patient.promise }
          context.step()
          result.cancel()
          world.advance(by: .milliseconds(1))
        }
      }
      #expect(wanted.isPending)
    }

    @Test("A loop whose every step passes the gate inside the step before runs in flat memory", .rule("3.3"))
    func loop() {
      let limit = RateLimit(1, per: .milliseconds(1), timers: world.clock)
      @Sendable func poll() -> Promise<Int> {
        limit.run(on: context) { Promise.fulfilled(1).then(on: context) { _ in poll() } }
      }
      let loop = poll()
      expectGrowth(below: 256 << 10) {
        for _ in 0..<10_000 {
          context.runUntilIdle()
          world.advance(by: .milliseconds(1))
        }
      }
      #expect(loop.isPending)
      loop.cancel()
    }

    @Test("A gate keeps nothing of operations that were inside or gave up", .rule("4.9"))
    func serial() {
      let (gate, flights) = (SerialGate(), SingleFlight<Int, Int>())
      expectGrowth(below: 256 << 10) {
        for number in 0..<50_000 {
          let results = (0..<2).map { number in gate.run(on: context) { .fulfilled(number) } }
          results[number % 2].cancel()
          let flight = flights.run(for: number, on: context) { .fulfilled(number) }
          context.runUntilIdle()
          precondition(!flight.isPending && !results[0].isPending && !results[1].isPending)
        }
      }
    }

    @Test("A retry of many attempts runs in flat memory even if its progress is observed", .rule("3.3"))
    func retry() {
      expectGrowth(below: 256 << 10) {
        let retry = Promise<Int>.retry(attempts: .max, backoff: .constant(.zero), on: context, timers: world.clock) {
          // Swift Testing keeps a backtrace of each error that is thrown, so this one is not.
          .rejected(TestError(1))
        }
        retry.onProgress(on: context) { _ in }
        for _ in 0..<20_000 {
          context.runUntilIdle()
          world.advance(by: .zero)
        }
        precondition(retry.isPending)
        retry.cancel()
      }
    }

    @Test("A flight that ends late keeps nothing of callers that wait for its end and give up", .rule("4.9"))
    func endsLate() {
      let flights = SingleFlight<String, Int>(until: .finished)
      let owner = Deferred<Int>()
      let stopped = Deferred<Void>()
      owner.onCancelThen(on: .atOnce) { _ in stopped.promise }
      let first = flights.run(for: "key", on: context) { owner.promise }
      context.runUntilIdle()
      first.cancel()
      expectGrowth(below: 256 << 10) {
        for _ in 0..<30_000 { flights.run(for: "key", on: context) { .fulfilled(0) }.cancel() }
      }
      let last = flights.run(for: "key", on: context) { .fulfilled(1) }
      context.runUntilIdle()
      #expect(last.isPending)
      stopped.fulfill()
      context.runUntilIdle()
      #expect(last.state.value == 1)
    }

    @Test("A long flight keeps nothing of callers that gave up", .rule("4.9"))
    func longFlight() {
      let (flights, owner) = (SingleFlight<String, Int>(), Deferred<Int>())
      let stays = flights.run(for: "key", on: context) { owner.promise }
      context.runUntilIdle()
      expectGrowth(below: 256 << 10) {
        for _ in 0..<30_000 { flights.run(for: "key", on: context) { .fulfilled(0) }.cancel() }
      }
      #expect(stays.isPending)
      #expect(owner.promise.isPending)
      owner.fulfill(1)
      #expect(stays.state.value == 1)
    }
  }
}
