public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts.
  ///
  /// ```swift
  /// let page = Promise.retry(attempts: 4, backoff: .exponential(first: .milliseconds(100)).jittered()) {
  ///   server.load(url)
  /// }
  /// ```
  ///
  /// By default there are two attempts, with a pause of one second between them.
  ///
  /// - Failure: the result is rejected with the error of the last attempt. A cancelled attempt is the last one
  ///   (rule 1.2).
  /// - Cancelling the result, with or without `upstream: true`, ends the pause, or gives up the running attempt with
  ///   everything that it waits for (rule 4.6).
  /// - Progress: the progress of the first attempt. Each later attempt fills a share of the rest (rule 5.4).
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, including the first call. A number below 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1, and its error.
  ///   - limit: how long after this call the last pause may end. If the next pause would end later, there is no
  ///     further attempt, and the result is rejected at once. A running attempt is not stopped: for that, use
  ///     ``timeout(_:error:cancelsSource:timers:fileID:line:)`` on the result. With `nil` there is no limit.
  ///   - end: when an attempt has failed: when its promise is rejected, or when the work behind it has finished, too
  ///     (rule 2.11). With `.finished`, no two attempts run beside each other, and an attempt whose work never ends is
  ///     the last. The pause begins then, and the time for `limit` goes on. The predicate is called when the promise is
  ///     rejected.
  ///   - context: where the closure and the predicate run, including the first call.
  ///   - timers: the clock of the pauses. The default is the system's, or the clock of the `TestWorld` in which this is
  ///     called.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its
  ///     error. It is not called after the last attempt, nor after a cancelled one.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins an attempt. If it throws, the attempt is rejected with that error.
  /// - Complexity: O(1) for each attempt.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: any ExecutionContext = .pool, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    Retrying(attempts, backoff, limit, end, context, timers.effective, predicate, fileID, line, .plain(body)).begin()
  }

  /// Calls the closure with the number of the attempt, and calls it again if its promise is rejected, up to a number of
  /// attempts.
  ///
  /// ```swift
  /// let page = Promise.retry(attempts: 3) { attempt in
  ///   mirrors[attempt - 1].load(url)
  /// }
  /// ```
  ///
  /// Everything else is as for the form whose closure takes no number.
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, including the first call. A number below 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1, and its error.
  ///   - limit: how long after this call the last pause may end. With `nil` there is no limit.
  ///   - end: when an attempt has failed: when its promise is rejected, or when the work behind it has finished, too
  ///     (rule 2.11). With `.finished`, no two attempts run beside each other, and an attempt whose work never ends is
  ///     the last. The pause begins then, and the time for `limit` goes on. The predicate is called when the promise is
  ///     rejected.
  ///   - context: where the closure and the predicate run, including the first call.
  ///   - timers: the clock of the pauses. The default is the system's, or the clock of the `TestWorld` in which this is
  ///     called.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its
  ///     error. It is not called after the last attempt, nor after a cancelled one.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins an attempt. It gets the number of the attempt, from 1. If it throws, the attempt is rejected with
  ///     that error.
  /// - Complexity: O(1) for each attempt.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: any ExecutionContext = .pool, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (_ attempt: Int) throws -> Promise
  ) -> Promise {
    Retrying(attempts, backoff, limit, end, context, timers.effective, predicate, fileID, line, .numbered(body)).begin()
  }
}

// The form that hands values on.

extension Promise {
  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts. Each attempt gets the
  /// error of the one before it, and the value that was carried last.
  ///
  /// ```swift
  /// let backup = Promise.retry(attempts: 9, carrying: 0) { attempt in
  ///   Promise.forEach(attempt.carried..<chunks.count) { index in
  ///     server.send(chunks[index]).tap { _ in attempt.carry(index + 1) }
  ///   }
  /// }
  /// ```
  ///
  /// An attempt carries a value to the next one with ``PromiseCombinators/RetryAttempt/carry(_:)``. Pass `()` as the
  /// value if the attempts carry none.
  ///
  /// The closure `asking` returns a promise that decides whether to make another attempt. It may ask a person, or wait
  /// for the network:
  ///
  /// ```swift
  /// let order = Promise.retry(
  ///   attempts: .max, carrying: (), asking: { _, error in dialog.confirm("Try again? \(error)") },
  ///   { _ in server.order("tea") })
  /// ```
  ///
  /// It is called when the attempt is rejected, and the pause begins when its promise is fulfilled with `true`.
  ///
  /// - Failure: the result is rejected with the error of the last attempt, even if the answer is `false`. If `asking`
  ///   throws, or its promise is rejected, the result is rejected with that error. It is cancelled if that promise was
  ///   cancelled. A cancelled attempt is the last one (rule 1.2).
  /// - Cancelling the result, with or without `upstream: true`, ends the pause, or gives up the running attempt or the
  ///   promise of `asking`, with everything that it waits for (rule 4.6).
  /// - Progress: the progress of the first attempt. Each later attempt fills a share of the rest (rule 5.4). So an
  ///   attempt that continues the one before it shows the share of what was left to do. The promise of `asking` has no
  ///   share.
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, including the first call. A number below 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1, and its error.
  ///   - limit: how long after this call the last pause may end. If the next pause would end later, there is no
  ///     further attempt, and the result is rejected at once. The time for an answer counts. With `nil` there is no
  ///     limit.
  ///   - end: when an attempt has failed: when its promise is rejected, or when the work behind it has finished, too
  ///     (rule 2.11). The promise of `asking` is not waited for longer than until it is settled.
  ///   - context: where the closures run, including the first call.
  ///   - timers: the clock of the pauses. The default is the system's, or the clock of the `TestWorld` in which this is
  ///     called.
  ///   - initial: the value for the first attempt.
  ///   - condition: returns a promise that says whether to make another attempt. It gets the failed attempt and its
  ///     error. It is not called after the last attempt, nor after a cancelled one, nor if the pause would end after the
  ///     limit. Without it, each error is followed by an attempt.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins an attempt. If it throws, the attempt is rejected with that error.
  /// - Complexity: O(1) for each attempt.
  public static func retry<Carried: Sendable>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: any ExecutionContext = .pool, timers: any TimerContext = .standard,
    carrying initial: Carried,
    asking condition:
      @escaping @Sendable (_ attempt: RetryAttempt<Carried>, _ error: any Error) throws -> Promise<Bool> = { _, _ in
        .fulfilled(true)
      },
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (_ attempt: RetryAttempt<Carried>) throws -> Promise
  ) -> Promise {
    CarryingRetry(
      attempts, backoff, limit, end, context, timers.effective, initial, condition, fileID, line, body
    ).begin()
  }
}

// Calls in the style of other libraries. They do not compile, and the message states the right call.

extension Promise {
  @available(*, unavailable, message: "use `retry(attempts: 3) { … }`, which counts the first attempt, too")
  @_documentation(visibility: internal)
  public static func retry(
    _ attempts: Int, backoff: Backoff = .constant(.seconds(1)), _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    preconditionFailure("unavailable")
  }

  @available(
    *, unavailable,
    message: "use `retry(attempts: 4, backoff: .constant(.seconds(1)))` for 3 retries: `attempts` counts the first call"
  )
  @_documentation(visibility: internal)
  public static func retry(
    attempts: Int, delay: Duration, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "use `retry(attempts: 4, backoff: .constant(.seconds(1)))` for 3 retries: `attempts` counts the first call"
  )
  @_documentation(visibility: internal)
  public static func retry(
    attempts: Int, delay: Double, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise { preconditionFailure("unavailable") }
}
