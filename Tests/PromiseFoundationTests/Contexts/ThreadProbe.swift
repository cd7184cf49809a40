import PromiseFoundation

/// Threads that a test starts without the library's help.
enum ThreadProbe {
  /// Starts a thread, and returns its context when the thread runs. No other code retains the context. The thread ends
  /// when the body returns.
  static func startThread(named name: String, _ body: @escaping @Sendable () -> Void) async throws -> ThreadContext {
    let mayGo = Gate()
    let started = Deferred<Void>()
    let context = Locked<ThreadContext?>(nil)
    let thread = Thread {
      // The thread waits until `start` has returned, because otherwise another thread may get the name on Linux.
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
