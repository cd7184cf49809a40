// A view on a context of which only the protocol is known, as in a library, and a view on a context of the client.
import PromiseContexts

nonisolated final class Own: ExecutionContext {
  func schedule(_ job: consuming Job) { job.run() }
}

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ context: any ExecutionContext) -> PromiseOnContext<Int> {
  start
    .on(Own())
    .on(context)
    // repeat 5 20 40
    .map { $0 + 1 }
    .then { next($0) }
    .tap { print($0) }
    .recover { _ in 0 }
    .validate { $0 > 0 }
  // end
}
