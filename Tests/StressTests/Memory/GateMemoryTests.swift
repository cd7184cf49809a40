import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: gates with a long history")
  struct GateMemoryTests {
    @Test(
      "A rate limit keeps nothing of started operations, and neither does the promise for which they waited",
      .rule("4.9"))
    func rate() {
      let context = ManualContext()
      let patient = Deferred<Int>()
      let wanted = patient.promise.map(on: context) { $0 }
      let world = TestWorld()
      let limit = RateLimit(.max, per: .seconds(1), timers: world.clock)
      let bound = 2 << 20
      let growth = leastGrowth(below: bound) {
        for _ in 0..<20_000 {
          let result = limit.run(on: context) { patient.promise }
          context.step()
          result.cancel()
          world.advance(by: .milliseconds(1))
        }
      }
      #expect(growth < bound && wanted.isPending)
    }

    @Test("A loop whose every step passes the gate inside the step before runs in flat memory", .rule("3.3"))
    func loop() {
      let context = ManualContext()
      let world = TestWorld()
      let limit = RateLimit(1, per: .milliseconds(1), timers: world.clock)
      @Sendable func poll() -> Promise<Int> {
        limit.run(on: context) { Promise.fulfilled(1).then(on: context) { _ in poll() } }
      }
      let bound = 2 << 20
      let loop = poll()
      let growth = leastGrowth(below: bound) {
        for _ in 0..<10_000 {
          context.runUntilIdle()
          world.advance(by: .milliseconds(1))
        }
      }
      #expect(growth < bound && loop.isPending)
      loop.cancel()
    }

    @Test("A gate keeps nothing of operations that were inside or gave up", .rule("4.9"))
    func serial() {
      let context = ManualContext()
      let gate = SerialGate()
      let flights = SingleFlight<Int, Int>()
      let bound = 4 << 20
      let growth = leastGrowth(below: bound) {
        for number in 0..<50_000 {
          let results = (0..<2).map { number in gate.run(on: context) { .fulfilled(number) } }
          results[number % 2].cancel()
          let flight = flights.run(number, on: context) { .fulfilled(number) }
          context.runUntilIdle()
          precondition(!flight.isPending && !results[0].isPending && !results[1].isPending)
        }
      }
      #expect(growth < bound)
    }

    @Test("A retry of many attempts runs in flat memory even if its progress is observed", .rule("3.3"))
    func retry() {
      let context = ManualContext()
      let world = TestWorld()
      let bound = 4 << 20
      let growth = leastGrowth(below: bound) {
        let retry = Promise<Int>.retry(attempts: .max, backoff: .constant(.zero), on: context, timers: world.clock) {
          throw TestError(1)
        }
        retry.onProgress(on: context) { _ in }
        for _ in 0..<20_000 {
          context.runUntilIdle()
          world.advance(by: .zero)
        }
        precondition(retry.isPending)
        retry.cancel()
      }
      #expect(growth < bound)
    }
  }
}
