import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: an owner that settles its promise while it follows another promise")
  struct FollowSettleRaceTests {
    @Test(
      "A followed promise goes on without a consumer, whether the call to settle or to follow comes first",
      .rule("3.1", "3.4"), arguments: [false, true])
    func settle(isFulfilled: Bool) throws {
      try Duel.repeated(Effort.of(10_000, full: 100_000)) { _ in
        let (owner, work) = (Deferred<Int>(), StoppableWork())
        let context = ManualContext()
        let promise = owner.promise
        let answer = Answer<Bool>()
        return Duel {
          if isFulfilled { owner.fulfill(1) } else { owner.reject(CancellationError()) }
        } second: {
          answer(owner.follow(work.promise))
        } firstCameFirst: {
          try #require(isFulfilled ? promise.fulfilledValue == 1 : promise.isCancelled)
          try #require(work.goesOn)
          work.promise.map(on: context) { $0 }.cancel(upstream: true)
          try #require(work.isStopped)
          return answer.value == false
        }
      }
    }
  }
}
