import PromiseContexts
import PromiseTesting
import TestSupport

/// How waiting in a handler ends.
enum WaitProbe {
  /// Waits. If that is refused, it takes no time.
  static func wait(for promise: Promise<Int>, limit: Duration = .milliseconds(10)) -> WaitError? {
    do { _ = try promise.waitForOutcome(within: limit) } catch let error as WaitError { return error } catch {}
    return nil
  }

  /// What a wait ends with in a handler that a context runs. The test itself blocks no thread, as others may need it.
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
