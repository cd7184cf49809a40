// `map` does not flatten: a promise of a promise is a type of its own.
import PromiseContexts

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.map { next($0) }
}
