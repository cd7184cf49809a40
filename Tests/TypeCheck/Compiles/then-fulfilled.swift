// Links whose closures create the promises, so that the type of each promise must be inferred as well.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .then { .fulfilled($0 + 1) }
    .then { Promise.fulfilled($0 + 1) }
  // end
}
