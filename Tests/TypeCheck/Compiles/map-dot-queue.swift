// Links on a dispatch queue, spelt `.queue(q)`.
import Dispatch
import PromiseContexts

func chain(_ start: Promise<Int>, _ q: DispatchQueue) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(on: .queue(q)) { $0 + 1 }
  // end
}
