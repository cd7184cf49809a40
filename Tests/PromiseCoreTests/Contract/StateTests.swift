import PromiseCore
import TestSupport
import Testing

@Suite("States")
struct StateTests {
  @Test(
    "A promise shows no outcome while it is pending, and then its outcome and nothing else", .rule("1.1"),
    arguments: Settlement.allCases)
  func settled(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(promise.isPending && !promise.isFulfilled && !promise.isRejected && !promise.isCancelled)
    #expect(promise.seen == .pending && promise.error == nil)
    #expect(promise.state.isPending && !promise.state.isFulfilled && !promise.state.isRejected)
    #expect(promise.state.error == nil && promise.state.value == nil)
    #expect(deferred.settle(settlement.result))
    let (value, error): (Int?, TestError?) = settlement.isValue ? (1, nil) : (nil, TestError(1))
    #expect(!promise.isPending && !promise.isCancelled)
    #expect(promise.isFulfilled == settlement.isValue && promise.isRejected == !settlement.isValue)
    #expect(promise.seen == settlement.seen && promise.error as? TestError == error)
    #expect(!promise.state.isPending)
    #expect(promise.state.isFulfilled == settlement.isValue && promise.state.isRejected == !settlement.isValue)
    #expect(promise.state.value == value && promise.state.error as? TestError == error)
  }

  @Test(
    "The settling call sees the settlement of its promise, of followers and of links that pass it through", .rule("1.3")
  )
  func visibility() {
    let context = ManualContext()
    let deferred = Deferred<Int>()
    let follower = Deferred<Int>()
    follower.follow(deferred.promise)
    let passed = follower.promise.recover(on: context) { _ in 0 }.catch(on: context) { _ in }
    deferred.fulfill(3)
    #expect(deferred.promise.seen == .fulfilled(3))
    #expect(follower.promise.seen == .fulfilled(3))
    #expect(passed.seen == .fulfilled(3))
    #expect(context.count == 0)
  }
}
