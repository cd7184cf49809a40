import Foundation
import PromiseContexts

/// A program whose main thread ends in `dispatchMain`, which serves the main queue from then on.
@main
enum DispatchMain {
  static func main() {
    start()
    print("dispatchMain")
    dispatchMain()
  }

  /// Starts the promises in a function of its own, because `dispatchMain` does not return. Objects that `main` holds
  /// would never be released, and would count as leaked after the main thread has ended.
  private static func start() {
    let serial = DispatchQueue(label: "serial")
    let owner = Deferred<Int>()
    owner.promise
      .map(on: .main) { value in
        // The check names the queue and not the thread, because on Linux other threads then serve the main queue.
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
