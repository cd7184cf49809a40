// Words of PromiseKit and google/promises at the beginning and at the end of a chain.
// modes: plain main-actor swift5
import Dispatch
import PromiseCombinators

private struct Offline: Error {}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func number(_ number: Int) async throws -> Int { number }
nonisolated func stop() {}

func begin(_ promise: Promise<Int>, _ other: Promise<Int>) {
  // expect: 'firstly(execute:)' is unavailable: leave `firstly` out, and begin the chain with the promise
  _ = firstly { load(1) }.then { load($0) }
  // expect: 'firstly(execute:)' is unavailable: leave `firstly` out, and begin the chain with the promise
  _ = firstly {
    print("begin")
    return load(1)
  }
  // expect: 'after(seconds:)' is unavailable: use `Promise.after(.seconds(1))` of PromiseCombinators
  _ = after(seconds: 1)
  // expect: 'after' is unavailable: use `Promise.after(.seconds(1))` of PromiseCombinators
  _ = after(.seconds(1))
  // expect: cannot find 'race' in scope
  _ = race(promise, other)
  // expect: cannot find 'retry' in scope
  _ = retry { load(1) }
  // expect: cannot find 'attempt' in scope
  _ = attempt(maximumRetryCount: 3) { load(1) }
  // expect: 'init()' is unavailable: use `Promise.fulfilled()`
  _ = Promise()
  // expect: 'init()' is unavailable: use `Deferred<Value>()`, whose `promise` is pending
  _ = Promise<Int>()
  // expect: 'pending()' is unavailable: use `Deferred<Value>()`, whose `promise` is pending
  let _: Promise<Int> = .pending()
  // expect: 'pending()' is unavailable: use `let owner = Deferred<Value>()`, whose `promise` is pending
  let (_, seal) = Promise<Int>.pending()
  seal.fulfill(1)
  // expect: 'reduce' is unavailable: use `Promise.reduce(all: promises) { … }`, whose closure returns a promise
  _ = Promise.reduce([promise, other]) { first, second in load(first + second) }
  // expect: 'reduce' is unavailable: use `Promise.all(promises).map { values in … }`, or `Promise.reduce(all: promises)
  _ = Promise.reduce([promise, other], 0) { sum, number in sum + number }
}

func end(_ promise: Promise<Int>) {
  // expect: 'done(on:_:)' is unavailable: use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain
  promise.done(on: .main) { print($0) }
  // expect: 'get(on:_:)' is unavailable: use `tap { value in … }`
  promise.get(on: .global()) { print($0) }
  // expect: 'ensure(on:_:)' is unavailable: use `always { _ in … }`
  promise.ensure(on: .main) { stop() }
  // expect: 'ensureThen(on:_:)' is unavailable: use `alwaysThen { _ in … }`, which also waits
  promise.ensureThen { load(1) }
  // expect: 'cauterize()' is unavailable: use `onFailed { error in … }`, which handles the error
  promise.tap { print($0) }.cauterize()
  // expect: 'recoverFailure(from:_:)' is unavailable: use `recover(from: SomeError.self) { error in … }`
  _ = promise.recoverFailure(from: Offline.self) { _ in 0 }
  // expect: 'rescueFailure(from:_:)' is unavailable: use `rescue(from: SomeError.self) { error in … }`
  _ = promise.rescueFailure(from: Offline.self) { _ in load(0) }
}

// No overload takes an async closure, because chains with a mistake would not be compiled in time.
func async(_ promise: Promise<Int>) {
  // expect: to parameter expecting synchronous function type
  _ = promise.map { try await number($0) }
  // expect: generic parameter 'U' could not be inferred
  _ = promise.then { try await number($0) }
  // expect: to parameter expecting synchronous function type
  _ = promise.recover { _ in try await number(0) }
  // expect: to parameter expecting synchronous function type
  promise.always { _ in await Task.yield() }
}
