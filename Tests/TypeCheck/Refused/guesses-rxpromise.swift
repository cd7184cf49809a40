// First guesses of clients who know RXPromise or OMPromises.
import Dispatch
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func stop() {}

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'get()' is unavailable: use `try await promise.value`, or `promise.result` for what is there already
  _ = promise.get()
  // expect: 'wait()' is unavailable: use `try await promise.value`, or `waitForResult(within:)` of PromiseWaiting where a thread may block
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
