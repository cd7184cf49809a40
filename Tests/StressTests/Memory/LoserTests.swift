import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: losers of any and race")
  struct LoserTests {
    @Test(
      "A race releases its losers at once, so that a promise that loses many races keeps nothing of them", .rule("4.9"))
    func longLived() {
      let patient = Deferred<Int>()
      let winner = Promise.fulfilled(1)
      // Entries that a promise kept would take 40 MB or more in each part.
      let bound = 8 << 20
      let part = Effort.of(100_000, full: 200_000)
      let growths = (0..<Effort.of(1, full: 5)).map { _ in
        leastGrowth(below: bound) {
          for _ in 0..<part { _ = Promise.race([patient.promise, winner]) }
        }
      }
      #expect(growths.allSatisfy { $0 < bound })
      #expect(!patient.promise.debugDescription.contains("consumer"))
    }

    @Test(
      "A promise that is attached first and loses to a later winner of any or race keeps nothing of them", .rule("4.9"))
    func longLivedPending() {
      let patient = Deferred<Int>()
      let bound = 4 << 20
      let growth = leastGrowth(below: bound) {
        for number in 0..<50_000 {
          let other = Deferred<Int>()
          let race = Promise.race([patient.promise, other.promise])
          let any = Promise.any([patient.promise, other.promise])
          other.fulfill(number)
          precondition(race.isFulfilled && any.isFulfilled)
        }
      }
      #expect(growth < bound)
      patient.fulfill(0)
    }

    @Test("A long flight keeps nothing of callers that gave up", .rule("4.9"))
    func longFlight() {
      let context = ManualContext()
      let flights = SingleFlight<String, Int>()
      let owner = Deferred<Int>()
      let stays = flights.run("key", on: context) { owner.promise }
      context.runUntilIdle()
      let bound = 4 << 20
      let growth = leastGrowth(below: bound) {
        for _ in 0..<30_000 { flights.run("key", on: context) { .fulfilled(0) }.cancel() }
      }
      #expect(growth < bound && stays.isPending && owner.promise.isPending)
      owner.fulfill(1)
      #expect((try? stays.result?.get()) == 1)
    }
  }
}
