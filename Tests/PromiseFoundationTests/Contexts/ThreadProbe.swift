import Foundation
import PromiseFoundation
import TestSupport

/// Threads that a test starts without the library's help.
enum ThreadProbe {
  /// Starts a thread, and gives its context once it runs.
  ///
  /// - Parameter body: gets a timer that keeps a run loop from ending as long as it is on it. The thread ends with it.
  static func startThread(
    named name: String, _ body: @escaping @Sendable (Timer) -> Void
  ) async throws -> ThreadContext {
    let started = Deferred<ThreadContext>()
    let mayGo = Gate()
    let thread = Thread {
      // Not before `start` has returned: else another thread gets the name on Linux.
      mayGo.wait()
      Thread.current.name = name
      let stay = Timer(fire: .distantFuture, interval: 1, repeats: true) { _ in }
      started.fulfill(.currentThread)
      body(stay)
    }
    thread.start()
    mayGo.open()
    return try await started.promise.value
  }
}
