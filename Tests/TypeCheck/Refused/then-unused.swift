// A `then` of which nobody takes the promise is a mistake: its errors would go nowhere.
import PromiseContexts

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'then(to:weight:fileID:line:_:)' is unused
  promise.then { next($0) }
}
