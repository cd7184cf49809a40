// First guesses of clients who know Combine, Swift concurrency or JavaScript.
import Dispatch
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func stop() {}

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'flatMap' is unavailable: use `then { value in … }`
  _ = promise.flatMap { load($0) }
  // expect: 'flatMapError' is unavailable: use `rescue { error in … }`
  _ = promise.flatMapError { _ in load(0) }
  // expect: 'replaceError(with:)' is unavailable: use `recover { _ in value }`
  _ = promise.replaceError(with: 0)
  // expect: 'sink' is unavailable: use `onFulfilled { value in … }`, or `onSettled { result in … }` for errors, too
  promise.sink { print($0) }
  // expect: 'receive(on:)' is unavailable: use `on(context)`, or name the context at a link: `map(on: context) { … }`
  _ = promise.receive(on: DispatchQueue.main)
  // expect: 'sleep' is unavailable: use `delay(.seconds(1))` of PromiseCombinators
  _ = promise.sleep(.seconds(1))
  // expect: 'sleep(for:)' is unavailable: use `delay(.seconds(1))` of PromiseCombinators
  _ = promise.sleep(for: .seconds(1))
  // expect: has no member 'tryMap'
  _ = promise.tryMap { try work() + $0 }
  // expect: to parameter expecting synchronous function type
  _ = promise.map { number in
    await Task.yield()
    return number
  }
  // expect: 'resolve' is unavailable: use `Promise.fulfilled(value)`
  _ = Promise.resolve(1)
  // expect: 'reject' is unavailable: use `Promise.rejected(error)`
  _ = Promise<Int>.reject(CancellationError())
}
