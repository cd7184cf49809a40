import Foundation
import PromiseContexts

/// A program whose main thread runs its run loop. Handlers on `.main` run between its events, on that thread.
@main
enum RunLoopMain {
  static func main() {
    let owner = Deferred<Int>()
    owner.promise
      .map(on: .main) { value in
        guard Thread.isMainThread else { fatalError("not on the main thread") }
        print("main \(value)")
        return value + 1
      }
      .map { value in
        guard !Thread.isMainThread else { fatalError("the pool is on the main thread") }
        return value + 1
      }
      .always(on: .main) { result in
        guard Thread.isMainThread else { fatalError("not on the main thread") }
        let value = (try? result.get()) ?? -1
        print("main \(value)")
        exit(value == 3 ? 0 : 1)
      }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { owner.fulfill(1) }
    print("RunLoop.main.run")
    RunLoop.main.run()
    // `run()` returns only if the run loop has nothing to wait for.
    exit(2)
  }
}
