import TestSupport
import Testing

@Suite("Making and settling promises") struct MakingTests {
  let context = ManualContext()

  @Test("Promise.fulfilled, rejected and run make a new promise each time, the former a settled one", .rule("1.1"))
  func settled() {
    #expect(Promise.fulfilled(1).status == .fulfilled(1))
    #expect(Promise<Int>.rejected(TestError(1)).status == .failed(1))
    let done: Promise<Void> = .fulfilled()
    #expect(done.isFulfilled)
    #expect(Promise.fulfilled().isFulfilled)
    #expect(Promise.fulfilled(()) !== Promise.fulfilled(()))
    #expect(Promise.run(on: context) {} !== Promise.run(on: context) {})
  }

  @Test("Promise(catching:) runs its closure at once, and rejects if the closure throws")
  func catching() {
    var ran = 0
    let value = Promise<Int>(catching: {
      ran += 1
      return 5
    })
    #expect(ran == 1)
    #expect(value.status == .fulfilled(5))
    #expect(Promise<Int>(catching: { throw TestError(2) }).status == .failed(2))
  }

  @Test("The owner passed to the closure of Promise { deferred in } has the same promise")
  func inlineOwner() {
    var owner: Deferred<Int>?
    let promise = Promise<Int> { owner = $0 }
    #expect(owner?.promise === promise)
    #expect(promise.isPending)
    owner?.fulfill(2)
    #expect(promise.status == .fulfilled(2))
  }

  @Test("A closure that throws rejects the promise, even while it follows another, unless it was settled before")
  func inlineThrow() {
    let inner = Deferred<Int>()
    #expect(Promise<Int> { _ in throw TestError(1) }.status == .failed(1))
    let late = Promise<Int> {
      $0.fulfill(2)
      throw TestError(1)
    }
    #expect(late.status == .fulfilled(2))
    let following = Promise<Int> {
      $0.follow(inner.promise)
      throw TestError(3)
    }
    #expect(following.status == .failed(3))
    #expect(inner.fulfill(1))
    #expect(following.status == .failed(3))
  }

  @Test("Promise(on:) and Promise.run(on:) run a closure once, later, on the context, and reject if it throws")
  func onContext() {
    let log = Log<Bool?>()
    let made = Promise<Int>(on: context) { [context] in
      log.append(context.isCurrent)
      $0.fulfill(3)
    }
    let run = Promise.run(on: context) { [context] in context.isCurrent }
    let failed = [
      Promise<Int>(on: context) { _ in throw TestError(4) }, Promise<Int>.run(on: context) { throw TestError(4) },
    ]
    #expect(made.isPending)
    #expect(run.isPending)
    #expect(failed.allSatisfy { $0.isPending })
    #expect(log.entries.isEmpty)
    #expect(context.runUntilIdle() == 4)
    #expect(log.entries == [true])
    #expect(made.status == .fulfilled(3))
    #expect(run.status == .fulfilled(true))
    #expect(failed.allSatisfy { $0.status == .failed(4) })
  }

  @Test("A retained owner settles the promise of Promise(on:) later, and a released owner breaks it")
  func onContextKept() {
    let kept = Locked<Deferred<Int>?>(nil)
    let promise = Promise<Int>(on: context) { deferred in kept.withLock { $0 = deferred } }
    let forgotten = Promise<Int>(on: context, line: 55) { _ in }
    context.runUntilIdle()
    #expect(promise.isPending)
    #expect(forgotten.status == .rejected(.broken(55)))
    kept.withLock { $0 }?.fulfill(6)
    #expect(promise.status == .fulfilled(6))
  }

  @Test("A handler of a cancelled promise that resumes the context runs no closure of Promise(on:)", .rule("2.5"))
  func cancelledBeforeItsTurn() {
    let runs = Log<Int>()
    let promise = Promise<Int>(on: context) { _ in runs.append(1) }
    // Runs everything first, as a handler does that lets a suspended queue go on.
    let resuming = CallingContext(context) { [context] in context.runUntilIdle() }
    promise.catch(on: resuming) { _ in runs.append(2) }
    promise.cancel()
    context.runUntilIdle()
    #expect(promise.isCancelled)
    #expect(runs.entries == [2])
  }

  @Test("Promise.deferred() makes an owner that records the place of the call and always returns the same promise")
  func namedFactory() {
    var deferred: Deferred<Int>? = Promise<Int>.deferred(line: 321)
    let promise = deferred?.promise
    #expect(promise?.isPending == true)
    #expect(deferred?.promise === promise)
    deferred = nil
    #expect(promise?.status == .rejected(.broken(321)))
  }

  @Test("fulfill() settles an owner of Void once")
  func fulfillVoid() {
    let deferred = Deferred<Void>()
    #expect(deferred.fulfill())
    #expect(!deferred.fulfill())
    #expect(!deferred.fulfill(()))
    #expect(deferred.promise.isFulfilled)
  }

  @Test("A promise shows only its outcome, and none while it is pending", .rule("1.1"), arguments: Settlement.allCases)
  func states(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(promise.isPending)
    #expect(!promise.isFulfilled)
    #expect(!promise.isRejected)
    #expect(!promise.isCancelled)
    #expect(promise.status == .pending)
    #expect(promise.error == nil)
    #expect(promise.state.isPending)
    #expect(!promise.state.isFulfilled)
    #expect(!promise.state.isRejected)
    #expect(promise.state.error == nil)
    #expect(promise.state.value == nil)
    #expect(deferred.settle(settlement.result))
    let (value, error): (Int?, TestError?) = settlement.isValue ? (1, nil) : (nil, TestError(1))
    #expect(!promise.isPending)
    #expect(!promise.isCancelled)
    #expect(promise.isFulfilled == settlement.isValue)
    #expect(promise.isRejected == !settlement.isValue)
    #expect(promise.status == settlement.status)
    #expect(promise.error as? TestError == error)
    #expect(!promise.state.isPending)
    #expect(promise.state.isFulfilled == settlement.isValue)
    #expect(promise.state.isRejected == !settlement.isValue)
    #expect(promise.state.value == value)
    #expect(promise.state.error as? TestError == error)
  }
}
