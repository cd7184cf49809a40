// The closure of `then` returns a promise. A closure that returns a value belongs in `map`.
import PromiseContexts

func chain(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.then { $0 + 1 }
}
