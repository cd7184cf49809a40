import Foundation
import PromiseFoundation
import TestSupport

/// Threads that a test starts without the library's help.
enum ThreadProbe {
  /// Starts a thread, and gives its context once it runs: nobody else holds that. The thread ends with the body.
  static func startThread(named name: String, _ body: @escaping @Sendable () -> Void) async throws -> ThreadContext {
    let (mayGo, started, context) = (Gate(), Deferred<Void>(), Locked<ThreadContext?>(nil))
    let thread = Thread {
      // Not before `start` has returned: else another thread gets the name on Linux.
      mayGo.wait()
      Thread.current.name = name
      context.withLock { $0 = .currentThread }
      started.fulfill()
      body()
    }
    thread.start()
    mayGo.open()
    try await started.promise.value
    guard let context = context.withLock({ $0.take() }) else { fatalError("set before the thread says so") }
    return context
  }
}
