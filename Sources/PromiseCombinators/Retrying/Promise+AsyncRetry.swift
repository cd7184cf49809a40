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
  /// Differs from `retry(attempts:)` in that the closures need no context: one Task runs all attempts and the
  /// predicate. It inherits the priority and the task-local values of the caller. To run the closure on an actor, mark
  /// it: `{ @MainActor in … }`.
  ///
  /// - Failure: the result is rejected with the error of the last attempt. An attempt that throws `CancellationError`
  ///   is the last one, and cancels the result (rule 1.2).
  /// - Cancelling the result, with or without `upstream: true`, cancels the Task. The result is settled at once, and no
  ///   further attempt begins (rule 4.6). The value or error of a running attempt is discarded.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, including the first call. A number below 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1, and its error.
  ///   - limit: how long after this call the last pause may end. If the next pause would end later, there is no
  ///     further attempt, and the result is rejected at once. With `nil` there is no limit.
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its
  ///     error.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value.
  /// - Complexity: O(1) for each attempt, and one Task for all attempts.
  public static func asyncRetry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    priority: TaskPriority? = nil, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) async -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise {
    asyncRetry(
      attempts: attempts, backoff: backoff, within: limit, priority: priority, timers: timers, while: predicate,
      fileID: fileID, line: line
    ) { _ in try await body() }
  }

  /// Calls the async closure with the number of the attempt, and calls it again when it throws, up to a number of
  /// attempts.
  ///
  /// ```swift
  /// let user = Promise.asyncRetry(attempts: 3) { attempt in
  ///   try await mirrors[attempt - 1].user(id)
  /// }
  /// ```
  ///
  /// Everything else is as for the form whose closure takes no number.
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, including the first call. A number below 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1, and its error.
  ///   - limit: how long after this call the last pause may end. With `nil` there is no limit.
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its
  ///     error.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value. It gets the number of the attempt, from 1.
  /// - Complexity: O(1) for each attempt, and one Task for all attempts.
  public static func asyncRetry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    priority: TaskPriority? = nil, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) async -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (_ attempt: Int) async throws -> Value
  ) -> Promise {
    let pauses = LimitedPauses(backoff, within: limit, on: timers.effective)
    let tracing = CapturedContext()
    return .loopingTask(priority: priority, at: CreationSite(fileID: fileID, line: line)) { loop in
      try await tracing.run(awaiting: {
        var attempt = 1
        while true {
          // The Task may be cancelled later than the promise (rule 4.5).
          try loop.checkIsLooping()
          let pause: Duration
          do {
            return try await body(attempt)
          } catch {
            guard attempt < attempts, !(error is CancellationError), loop.isPending, await predicate(attempt, error),
              let nextPause = pauses.pause(before: attempt, after: error)
            else {
              throw error
            }
            pause = nextPause
          }
          try await Promise<Void>.after(pause, timers: pauses.timers, fileID: fileID, line: line)
            .value(cancelsSource: true)
          attempt += 1
        }
      })
    }
  }
}
