// Closures that always reject, and closures that may reject.
import PromiseContexts

struct Failure: Error {}

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .then { $0 > 0 ? next($0) : .rejected(Failure()) }
    .rescue { .rejected($0) }
    .then { value in
      guard value > 0 else { return .rejected(Failure()) }
      return next(value)
    }
  // end
}
