// First guesses of clients who know Combine, Swift concurrency, JavaScript, or the futures of NIO, Java, Vert.x or Scala.
import Dispatch
import PromiseCombinators

struct Failure: Error {}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func work() throws -> Int { 1 }
nonisolated func fetch(_ number: Int) async throws -> Int { number }

func guess(_ promise: Promise<Int>, _ error: any Error) {
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
  // expect: 'init(error:)' is unavailable: use `Promise.rejected(error)`
  _ = Promise<Int>(error: error)
  // expect: 'init(error:)' is unavailable: use `Promise.rejected(error)`
  let _: Promise<Int> = Promise(error: Failure())
  // expect: 'init(_:)' is unavailable: use `Promise.task { … }`
  _ = Promise { try await fetch(1) }
  // expect: 'catch' is unavailable: use `catch(only: SomeError.self) { error in … }`
  promise.catch(Failure.self) { print($0) }
  // expect: conformance of 'MainActor' to 'ExecutionContext' is unavailable: use `on: .main`
  _ = promise.map(on: MainActor.shared) { $0 + 1 }
  // expect: use `retry(attempts: 4, backoff: .constant(.seconds(1)))` for 3 retries: `attempts` counts the first call
  _ = Promise.retry(attempts: 3, delay: .seconds(1)) { load(1) }
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
}
