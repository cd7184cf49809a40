public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the async closure, and calls it again when it throws, up to a number of attempts.
  ///
  /// ```swift
  /// let user = Promise.asyncRetry(attempts: 3, backoff: .exponential(first: .milliseconds(100))) {
  ///   try await server.user(id)
  /// }
  /// ```
  ///
  /// As `retry(attempts:)`, but the closures need no context: one
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
  ///   - attempts: how often the closure is called at most, the first time included. Less than 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1.
  ///   - priority: that of the Task; `nil`: the caller's.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its error.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value.
  /// - Complexity: O(1) for each attempt, and a Task for all.
  public static func asyncRetry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), priority: TaskPriority? = nil,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) async -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise {
    let timers = timers.here
    return .task(priority: priority, fileID: fileID, line: line) {
      var attempt = 1
      while true {
        do {
          return try await body()
        } catch {
          // No client waits for another attempt of a cancelled Task, whatever its closure has thrown.
          guard attempt < attempts, !(error is CancellationError), !Task.isCancelled, await predicate(attempt, error)
          else {
            throw error
          }
        }
        let pause = backoff.pause(before: attempt)
        try await Promise<Void>.after(pause, timers: timers, fileID: fileID, line: line).value(cancelsSource: true)
        attempt += 1
      }
    }
  }
}
