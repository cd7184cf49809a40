// A view on a queue: no link names it.
import Dispatch
import PromiseContexts

func chain(_ start: Promise<Int>, _ q: DispatchQueue) -> Promise<Int> {
  start
    .on(q)
    // repeat 5 20 40
    .map { $0 + 1 }
    // end
    .promise
}
