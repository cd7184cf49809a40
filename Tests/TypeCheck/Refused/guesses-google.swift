// First guesses of clients who know google/promises.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func stop() {}

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
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
  // expect: 'fulfill' is unavailable: only the owner settles a promise
  promise.fulfill(1)
  // expect: cannot convert value of type 'Int' to expected argument type '(Deferred<Value>) throws -> Void'
  // expect: generic parameter 'Value' could not be inferred
  _ = Promise(1)
}
