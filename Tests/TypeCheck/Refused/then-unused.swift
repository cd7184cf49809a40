// A `then` whose promise is not used is a mistake, because its errors would be lost.
import PromiseContexts

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'then(to:weight:fileID:line:_:)' is unused
  promise.then { next($0) }
}
