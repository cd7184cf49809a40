public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the async closure, and calls it again when it throws, at most so many times.
  ///
  /// ```swift
  /// let user = Promise.asyncRetry(3, backoff: .exponential(first: .milliseconds(100))) { try await server.user(id) }
  /// ```
  ///
  /// As ``retry(_:backoff:on:timers:while:fileID:line:_:)-(_,_,ExecutionContext,_,_,_,_,_)``, but the closures need no context: one
  /// Task runs all attempts and the predicate. It inherits the priority and the task-local values of the caller. To run on an actor, mark
  /// the closure: `{ @MainActor in … }`.
  ///
  /// - Failure: the result is rejected with the error of the last attempt. An attempt that throws `CancellationError` is the last, and
  ///   cancels the result (rule 1.2).
  /// - Cancelling the result, in either form, cancels the Task. The result is settled at once, and no attempt begins any more
  ///   (rule 4.6). What a running attempt returns or throws is discarded.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - retries: how often to try again. The closure is called at most once more than that. Zero or less: once.
  ///   - backoff: how long to wait before each further attempt.
  ///   - priority: that of the Task; `nil`: the caller's.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - predicate: whether to try again. It is given the number of attempts that are left, the one in question included.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value.
  /// - Complexity: O(1) for each attempt, and a Task for all.
  public static func asyncRetry(
    _ retries: Int = 1, backoff: Backoff = .constant(.seconds(1)), priority: TaskPriority? = nil,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ remaining: Int, _ error: any Error) async -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise {
    let timers = timers.here
    return .task(priority: priority, fileID: fileID, line: line) {
      var remaining = max(0, retries)
      while true {
        do {
          return try await body()
        } catch {
          // Nobody waits for another attempt of a cancelled Task, whatever its closure has thrown.
          guard remaining > 0, !(error is CancellationError), !Task.isCancelled, await predicate(remaining, error)
          else {
            throw error
          }
        }
        let pause = backoff.pause(before: retries - remaining + 1)
        try await Promise<Void>.after(pause, timers: timers, fileID: fileID, line: line).value(cancelsSource: true)
        remaining -= 1
      }
    }
  }
}
