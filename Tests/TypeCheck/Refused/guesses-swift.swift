// First guesses of clients who know Swift concurrency.
import PromiseCombinators

struct Failure: Error {}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func fetch(_ number: Int) async throws -> Int { number }

func guess(_ promise: Promise<Int>, _ error: any Error) {
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
}
