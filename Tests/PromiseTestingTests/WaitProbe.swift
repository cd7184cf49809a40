import TestSupport

/// Shows how a wait in a handler ends.
enum WaitProbe {
  /// Waits and returns the error of the wait. A refused wait takes no time.
  static func wait(for promise: Promise<Int>, limit: Duration = .milliseconds(10)) -> WaitError? {
    do { _ = try promise.waitForResult(within: limit) } catch let error as WaitError { return error } catch {}
    return nil
  }

  /// Waits in a handler on a context, and returns the error of the wait. The test itself blocks no thread, because
  /// other tests may need the threads.
  static func wait(
    on context: any ExecutionContext, limit: Duration = .milliseconds(10),
    for promise: @escaping @Sendable () -> Promise<Int>
  ) async throws -> WaitError? {
    let seen = Box<WaitError>()
    let handler = Promise.run(on: context) { seen.value = wait(for: promise(), limit: limit) }
    try await handler.value
    return seen.value
  }
}
