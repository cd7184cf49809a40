// First guesses of clients who know PromiseKit, google/promises, RXPromise or OMPromises.
import Dispatch
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func stop() {}

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'done(on:_:)' is unavailable: use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain
  promise.done { print($0) }
  // expect: 'ensure(on:_:)' is unavailable: use `always { _ in … }`
  promise.ensure { stop() }
  // expect: 'finally(on:_:)' is unavailable: use `always { _ in … }`
  promise.finally { stop() }
  // expect: 'get(on:_:)' is unavailable: use `tap { value in … }`
  promise.get { print($0) }
  // expect: 'value' is unavailable: use `Promise.fulfilled(value)`
  _ = Promise.value(1)
  // expect: 'pending()' is unavailable: use `Promise.deferred()`, or `Deferred()`, whose `promise` is pending
  _ = Promise<Int>.pending()
  // expect: missing argument for parameter 'count' in call
  _ = Promise.some([promise, other])
  // expect: 'when(fulfilled:)' is unavailable: use `Promise.all(first, second)` of PromiseCombinators
  _ = when(fulfilled: promise, names)
  // expect: 'when(fulfilled:)' is unavailable: use `Promise.all(promises)` of PromiseCombinators
  _ = when(fulfilled: [promise, other])
  // expect: 'when(resolved:)' is unavailable: use `Promise.allSettled(promises)` of PromiseCombinators
  _ = when(resolved: [promise, other])
  // expect: has no member 'thenMap'
  _ = promise.thenMap { load($0) }
  // expect: 'async' property access in a function that does not support concurrency
  // expect: property access can throw, but it is not marked with 'try'
  let value: Int? = promise.value
  // expect: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
  promise.always { stop() }
  // expect: 'recover' is unavailable: use `rescue { error in … }`, whose closure returns a promise
  _ = promise.recover { _ in load(0) }
  // expect: cannot convert value of type 'Int' to expected argument type 'Duration'
  _ = promise.timeout(1)
  // expect: cannot convert value of type 'Int' to expected argument type 'Duration'
  _ = promise.delay(1)
  // expect: use `retry(attempts: 3) { … }`, which counts the first attempt, too
  _ = Promise.retry(3) { load(1) }
  // expect: use `retry(attempts: 3) { … }`, which counts the first attempt, too
  _ = Promise.retry(3, backoff: .constant(.zero)) { load(1) }
  // expect: use `retry(attempts: 4, backoff: .constant(.seconds(1)))` for 3 retries: `attempts` counts the first call
  _ = Promise.retry(attempts: 3, delay: 2) { load(1) }
  // expect: cannot convert value of type 'Int' to expected argument type '(Deferred<Value>) throws -> Void'
  // expect: generic parameter 'Value' could not be inferred
  _ = Promise(1)
  // expect: 'get()' is unavailable: use `try await promise.value`, or `promise.result` for what is there already
  _ = promise.get()
  // expect: 'wait()' is unavailable: use `try await promise.value`, or `waitForValue(within:)` of PromiseWaiting where a thread may block
  _ = promise.wait()
  // expect: has no member 'bind'
  promise.bind(other)
  // expect: has no member 'setTimeout'
  _ = promise.setTimeout(5)
  // expect: has no member 'thenOn'
  _ = promise.thenOn(DispatchQueue.main) { load($0) }
  // expect: has no member 'progressed'
  promise.progressed { print($0) }
  // expect: has no member 'failed'
  promise.failed { print($0) }
  // expect: missing argument labels
  _ = promise.then({ load($0) }, { _ in load(0) })
}
