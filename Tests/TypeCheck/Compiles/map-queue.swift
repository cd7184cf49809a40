// Links on a dispatch queue, which is a context itself.
import Dispatch
import PromiseContexts

func chain(_ start: Promise<Int>, _ q: DispatchQueue) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(on: q) { $0 + 1 }
  // end
}
