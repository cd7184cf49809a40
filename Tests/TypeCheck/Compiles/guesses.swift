// First guesses that work, without a type annotation.
import PromiseCombinators

struct Failure: Error {}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func next() -> Int? { nil }
nonisolated func work() throws -> Int { 1 }

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) async {
  _ = Promise.all(promise, names).map { number, name in "\(number)\(name)" }
  _ = Promise.any(promise, other).map { $0 + 1 }
  _ = Promise.race(promise, other, load(3), cancelsLosers: true).map { $0 + 1 }
  _ = Promise.race(promise, .after(.seconds(1), fulfill: 0))
  _ = Promise.allSettled(promise, names).map { number, name in (try? number.get(), try? name.get()) }
  _ = Promise.allSettled(promise, names, other, atLeast: 1).map { $0.2 }
  let body: @Sendable () -> Promise<Int> = { load(1) }
  _ = Promise.retry(body)
  _ = Promise.retry(attempts: 3, body)
  let isWorthIt: @Sendable (Int, any Error) -> Bool = { attempt, error in attempt < 2 }
  _ = Promise.retry(attempts: 3, while: isWorthIt) { load(1) }
  _ = Promise.repeat {
    guard let number = next() else { return nil }
    return load(number)
  }
  _ = Promise.repeat { next().map(load) }
  _ = promise.then { _ in .rejected(Failure()) }
  promise.then { _ in .rejected(Failure()) }.catch { print($0) }
  _ = promise.then { number in
    guard number > 0 else { return .rejected(Failure()) }
    return load(number)
  }.map { $0 + 1 }
  _ = promise.map { number in
    let sum = number + 1
    return sum
  }.dump("sum").map { $0 + 1 }
  _ = promise.validate(message: "must not be negative") { $0 >= 0 }
  _ = promise.validate(error: Failure()) { $0 >= 0 }
  _ = promise.rescue(from: Failure.self) { _ in load(1) }.map { $0 + 1 }
  _ = promise.mapError(from: Failure.self) { _ in CancellationError() }
  _ = promise.asVoid().recover { _ in }.then { _ in .fulfilled() }
  _ = .fulfilled() as Promise<Void>
  _ = Promise.all(["a": promise, "b": other]).map { $0["a"] }
  _ = Promise.all(["a": promise, "b": other].mapValues { $0.map { $0 + 1 } }, onRejection: .cancelRemaining)
  _ = Promise.allSettled(["a": promise, "b": other]).map { $0.count }
  _ = Promise.any(["a": promise, "b": other]).map { $0.key + "\($0.value)" }
  _ = Promise.race(["a": promise, "b": other], cancelsLosers: true).map { key, value in key + "\(value)" }
  _ = Promise.race(enumerating: [promise, other]).map { $0.offset + $0.value }
  promise.catchFailure { print($0) }.onFailed { print($0) }
  promise.catchFailure(only: Failure.self) { _ in print("failed") }.recoverFailure { _ in 0 }.onFulfilled { print($0) }
  _ = promise.markCancelled { $0 is Failure }.rescueFailure { _ in load(1) }.map { $0 + 1 }
  _ = promise.asResult().map { try $0.get() + 1 }
  _ = promise.timeout(.seconds(1), error: Failure()).timeoutOrNil(.seconds(2)).map { ($0 ?? 0) + 1 }
  _ = Promise { try work() }.map { $0 + 1 }
  _ = Promise<Int> { seal in seal.fulfill(1) }
  _ = (promise.error, promise.state.value, promise.state.error, promise.state.isFulfilled)
  _ = PromiseError.Code(promise.error) == .timedOut
  promise.onRejected { error in if PromiseError.Code.timedOut ~= error { print("late") } }
  do {
    _ = try await promise.value
  } catch PromiseError.Code.timedOut {
    print("late")
  } catch {
    print(error)
  }
  if case PromiseError.Code.validationFailed? = promise.error { print("refused") }
}
