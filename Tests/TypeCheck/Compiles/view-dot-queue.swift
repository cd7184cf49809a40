// Views on contexts whose names begin with a dot. The context changes at every link.
import Dispatch
import PromiseContexts

func chain(_ start: Promise<Int>, _ q: DispatchQueue) -> Promise<Int> {
  start
    .on(.pool)
    // repeat 5 20 40
    .on(.queue(q)).map { $0 + 1 }
    .on(.concurrent(q)).map { $0 + 1 }
    .on(.global(qos: .utility)).map { $0 + 1 }
    .on(.task(priority: .low)).map { $0 + 1 }
    .on(.executor(globalConcurrentExecutor)).map { $0 + 1 }
    // end
    .promise
}
