// `then` takes a promise; a value is what `map` takes.
import PromiseContexts

func chain(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.then { $0 + 1 }
}
