// Links on a context of which only the protocol is known, as in a library.
import PromiseContexts

func chain(_ start: Promise<Int>, _ context: any ExecutionContext) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(on: context) { $0 + 1 }
  // end
}
