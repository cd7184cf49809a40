// Links without a context, which run on the pool.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map { $0 + 1 }
  // end
}
