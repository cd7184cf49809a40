// An observer has no promise of its own that a throw could reject. `catch` passes the error on, so only `recover` and
// `rescue` change the outcome.
import PromiseContexts

nonisolated func save(_ value: Int) throws {}

func keep(_ promise: Promise<Int>) {
  // expect: invalid conversion from throwing function of type
  promise.onFulfilled { try save($0) }
  // expect: invalid conversion from throwing function of type
  promise.catch { error in throw error }
  // expect: invalid conversion from throwing function of type
  promise.on(.pool).onFulfilled { _ in throw CancellationError() }
  // expect: invalid conversion from throwing function of type
  promise.on(.main).onSettled { _ in throw CancellationError() }
}
