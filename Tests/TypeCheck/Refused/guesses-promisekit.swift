// First guesses of clients who know PromiseKit.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func stop() {}

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'done' is unavailable: use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain
  promise.done { print($0) }
  // expect: 'ensure' is unavailable: use `always { _ in … }`
  promise.ensure { stop() }
  // expect: 'finally' is unavailable: use `always { _ in … }`
  promise.finally { stop() }
  // expect: 'get' is unavailable: use `tap { value in … }`
  promise.get { print($0) }
  // expect: 'value' is unavailable: use `Promise.fulfilled(value)`
  _ = Promise.value(1)
  // expect: 'pending()' is unavailable: use `Promise.deferred()`, or `Deferred()`, whose `promise` is pending
  _ = Promise<Int>.pending()
  // expect: cannot find 'firstly' in scope
  _ = firstly { load(1) }.then { load($0) }
  // expect: 'when(fulfilled:)' is unavailable: use `Promise.all(first, second)` of PromiseCombinators
  _ = when(fulfilled: promise, names)
  // expect: 'when(fulfilled:)' is unavailable: use `Promise.all(promises)` of PromiseCombinators
  _ = when(fulfilled: [promise, other])
  // expect: 'when(resolved:)' is unavailable: use `Promise.allSettled(promises)` of PromiseCombinators
  _ = when(resolved: [promise, other])
  // expect: cannot find 'after' in scope
  _ = after(seconds: 1)
  // expect: cannot find 'race' in scope
  _ = race(promise, other)
  // expect: has no member 'cauterize'
  promise.cauterize()
  // expect: has no member 'thenMap'
  _ = promise.thenMap { load($0) }
  // expect: 'async' property access in a function that does not support concurrency
  // expect: property access can throw, but it is not marked with 'try'
  let value: Int? = promise.value
}
