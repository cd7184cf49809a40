import TestSupport
import Testing

/// Thenables do not apply, because the library does not look for a `then` in a value (rule 1.4). The requirements of
/// 2.3.3.3 for the two functions that a thenable's `then` receives apply to the owner that a body receives.
@Suite("Promises/A+ 2.3.3: values with a `then`, and functions that call back", .rule("2.8")) struct Clause2_3_3Tests {
  @Test(
    "A value that has a `then` is a plain value, and its `then` is never called (2.3.3)", .rule("1.4"),
    arguments: Settling.allCases)
  func thenableIsAValue(_ settling: Settling) {
    let context = ManualContext()
    let calls = Log<String>()
    let promises = settling.settle(with: .success(Thenable(calls: calls))) { promise in
      [promise, promise.map(on: context) { $0 }, promise.then(on: context) { .fulfilled($0) }]
    }
    context.runUntilIdle()
    for promise in promises { #expect(promise.isFulfilled) }
    #expect(calls.entries == [])
  }

  @Test(
    "The body settles the promise, and an error that it throws then is ignored (2.3.3.3.1, 2.3.3.3.2, 2.3.3.3.4.1)",
    .rule("1.1", "1.3"), arguments: Body.allCases, Outcome.settled)
  func bodySettles(_ body: Body, _ outcome: Outcome) {
    for throwsAfterCall in [false, true] {
      let promise = body.promise { deferred in
        deferred.settle(outcome.result)
        if throwsAfterCall { throw TestError(4) }
      }
      expect(promise, shows: outcome)
    }
  }

  @Test(
    "The promise adopts the promise that its body follows (2.3.3.3.1)", .rule("2.6"),
    arguments: Settling.allCases, Outcome.settled)
  func bodyNamesAPromise(_ settling: Settling, _ outcome: Outcome) {
    let promises = settling.settle(as: outcome) { inner in
      Body.allCases.map { $0.promise { deferred in deferred.follow(inner) } }
    }
    for promise in promises { expect(promise, shows: outcome) }
  }

  @Test(
    "The first call counts, and all later calls are ignored (2.3.3.3.3)", .rule("1.3"),
    arguments: SecondSettlement.allCases, Outcome.settled)
  func firstCallCounts(_ second: SecondSettlement, _ outcome: Outcome) {
    for body in Body.allCases {
      let promise = body.promise { deferred in
        deferred.settle(outcome.result)
        _ = second.attempt(by: deferred)
        deferred.resolve(nil, TestError(3))
      }
      expect(promise, shows: outcome)
    }
  }

  @Test("An owner that follows a pending promise may still settle its own promise (2.3.3.3.3)", .rule("3.4"))
  func followDoesNotLock() {
    let slow = Deferred<Int>()
    let deferred = Deferred<Int>()
    deferred.follow(slow.promise)
    #expect(deferred.fulfill(1))
    slow.fulfill(2)
    expect(deferred.promise, shows: .value(1))
  }

  @Test("A promise of promises is locked in by the first call (2.3.3.3.3)", .rule("1.3", "2.6"))
  func promiseOfPromisesLocks() {
    let context = ManualContext()
    let slow = Deferred<Int>()
    let locked = Deferred<Promise<Int>>()
    let promise = locked.promise.then(on: context) { $0 }
    #expect(locked.fulfill(slow.promise))
    context.runUntilIdle()
    #expect(!locked.fulfill(.fulfilled(1)))
    #expect(!locked.reject(TestError(1)))
    expect(promise, shows: .pending)
    slow.fulfill(2)
    expect(promise, shows: .value(2))
  }

  @Test(
    "An error that the body throws before any call rejects the promise, and later calls are ignored (2.3.3.3.4.2)",
    .rule("1.3"), arguments: Body.allCases, SecondSettlement.allCases)
  func throwBeforeCall(_ body: Body, _ second: SecondSettlement) {
    let owners = Log<Deferred<Int>>()
    let promise = body.promise { deferred in
      owners.append(deferred)
      throw TestError(4)
    }
    expect(promise, shows: .error(4))
    for owner in owners.entries { #expect(!second.attempt(by: owner)) }
    expect(promise, shows: .error(4))
  }
}

/// The ways to make a promise with a body that receives the owner.
enum Body: String, CaseIterable, Sendable {
  case inline, onContext

  /// Makes a promise and runs the body.
  func promise(_ body: @escaping @Sendable (Deferred<Int>) throws -> Void) -> Promise<Int> {
    guard self == .onContext else { return Promise(body) }
    let context = ManualContext()
    let promise = Promise(on: context, body)
    #expect(promise.isPending)
    #expect(context.runUntilIdle() == 1)
    return promise
  }
}

/// A value that looks like a promise to code that searches values for a `then`.
private struct Thenable: Sendable {
  let calls: Log<String>

  var then: @Sendable (@Sendable (Int) -> Void, @Sendable (any Error) -> Void) -> Void {
    calls.append("read")
    return { [calls] fulfilled, _ in
      calls.append("called")
      fulfilled(1)
    }
  }
}
