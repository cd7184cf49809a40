// First guesses of clients who know the futures of NIO, Java, Vert.x, Scala or Combine.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'onSuccess' is unavailable: use `onFulfilled { value in … }`
  promise.onSuccess { print($0) }
  // expect: 'whenSuccess' is unavailable: use `onFulfilled { value in … }`
  promise.whenSuccess { print($0) }
  // expect: 'onFailure' is unavailable: use `onFailed { error in … }`, which omits cancellations, or `onRejected
  promise.onFailure { print($0) }
  // expect: 'whenFailure' is unavailable: use `onFailed { error in … }`, which omits cancellations, or `onRejected
  promise.whenFailure { print($0) }
  // expect: 'onComplete' is unavailable: use `onSettled { result in … }`
  promise.onComplete { print($0) }
  // expect: 'whenComplete' is unavailable: use `onSettled { result in … }`
  promise.whenComplete { print($0) }
  // expect: 'flatMapThrowing' is unavailable: use `map { value in … }`, whose closure may throw
  _ = promise.flatMapThrowing { try work() + $0 }
  // expect: 'thenAccept' is unavailable: use `tap { value in … }`, or `onFulfilled { value in … }` at the end of a chain
  promise.thenAccept { print($0) }
  // expect: 'thenApply' is unavailable: use `map { value in … }`
  _ = promise.thenApply { $0 + 1 }
  // expect: 'thenCompose' is unavailable: use `then { value in … }`
  _ = promise.thenCompose { load($0) }
  // expect: 'exceptionally' is unavailable: use `recover { error in … }`
  _ = promise.exceptionally { _ in 0 }
  // expect: 'eventually' is unavailable: use `alwaysThen { _ in … }`, which waits for the promise of the closure
  promise.eventually { load(0) }
  // expect: 'handleEvents(receiveOutput:receiveCompletion:receiveCancel:)' is unavailable: use `tap { value in … }` for the value, or `always { result in … }`
  promise.handleEvents(receiveOutput: { print($0) })
  // expect: 'abandon()' is unavailable: use `cancel(upstream: true)`, which also gives up the work behind the promise
  promise.abandon()
}
