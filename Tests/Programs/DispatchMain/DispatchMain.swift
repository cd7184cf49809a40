import Dispatch
import Foundation
import PromiseContexts

/// The main thread ends in `dispatchMain`: the main queue is served from then on.
@main
enum DispatchMain {
  static func main() {
    start()
    print("dispatchMain")
    dispatchMain()
  }

  /// A function of its own: what `main` holds is never released, as `dispatchMain` does not return, and counts as leaked when the
  /// main thread has ended.
  private static func start() {
    let serial = DispatchQueue(label: "serial")
    let owner = Deferred<Int>()
    owner.promise
      .map(on: .main) { value in
        // Not a question to the thread: on Linux the main queue is served by workers then.
        dispatchPrecondition(condition: .onQueue(.main))
        print("main \(value)")
        return value + 1
      }
      .map { value in
        dispatchPrecondition(condition: .notOnQueue(.main))
        return value + 1
      }
      .map(on: serial) { value in
        dispatchPrecondition(condition: .onQueue(serial))
        return value + 1
      }
      .always(on: .main) { result in
        dispatchPrecondition(condition: .onQueue(.main))
        let value = (try? result.get()) ?? -1
        print("main \(value)")
        exit(value == 4 ? 0 : 1)
      }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { owner.fulfill(1) }
  }
}
