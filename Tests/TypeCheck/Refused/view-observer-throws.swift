// Observers of a view cannot throw.
import PromiseContexts

func observe(_ promise: Promise<Int>) {
  // expect: invalid conversion from throwing function of type
  promise.on(.pool).onFulfilled { _ in throw CancellationError() }
  // expect: invalid conversion from throwing function of type
  promise.on(.main).onSettled { _ in throw CancellationError() }
}
