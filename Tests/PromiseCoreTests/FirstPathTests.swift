import PromiseCore
import TestSupport
import Testing

@Test(
  "A fulfilled promise runs its handler once, on its context, and not inside the settling call", .rule("1.1", "2.1"))
func fulfilledPromiseRunsHandlerOnContext() {
  let context = ManualContext()
  let log = Log<Int>()
  let deferred = Deferred<Int>()
  deferred.promise.onFulfilled(on: context) { log.append($0) }
  #expect(deferred.fulfill(1))
  #expect(!deferred.fulfill(2))
  #expect(log.entries == [])
  #expect(context.runUntilIdle() == 1)
  #expect(log.entries == [1])
}
