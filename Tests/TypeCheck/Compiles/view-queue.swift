// A view on a queue, so that no link names the queue.
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
