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
  /// By default there are two attempts, and a second lies between them.
  ///
  /// - Failure: rejected with the error of the last attempt. A cancelled attempt is the last (rule 1.2).
  /// - Cancelling the result, in either form, ends it: the pause, or the running attempt, which is given up with all that it waits
  ///   for (rule 4.6).
  /// - Progress: that of the first attempt; each other adds to it, within what was left (rule 5.4).
  ///
  /// - Parameters:
  ///   - attempts: how often the closure is called at most, the first time included. Less than 1 counts as 1.
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1.
  ///   - context: where the closure and the predicate run, the first time too.
  ///   - timers: measures the pauses. In a test's world the default is that world's clock.
  ///   - predicate: returns whether to make another attempt. It gets the number of the failed attempt, from 1, and its error. It is not
  ///     called for the last attempt, nor for a cancelled one.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: one attempt. A throw is a rejection.
  /// - Complexity: O(1) for each attempt.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), on context: any ExecutionContext = .pool,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let timers = timers.here
    @Sendable func attempt(_ number: Int) -> Promise {
      startOwned(on: context, at: site, body)
        .rescueOwned(on: context, at: site) { error in
          guard number < attempts, predicate(number, error) else { return nil }
          return Promise<Void>.after(backoff.pause(before: number), settle: .success(()), on: timers, fileID, line)
            .thenOwned(on: InlineContext.shared, at: site) { attempt(number + 1) }
        }
    }
    return attempt(1)
  }
}

// What the `retry` of other libraries looks like.

extension Promise {
  @available(*, unavailable, message: "use `retry(attempts: 3) { … }`, which counts the first attempt, too")
  @_documentation(visibility: internal)
  public static func retry(
    _ attempts: Int, backoff: Backoff = .constant(.seconds(1)), _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    preconditionFailure("unavailable")
  }

  @available(*, unavailable, message: "use `retry(attempts: 3, backoff: .constant(.seconds(1))) { … }`")
  @_documentation(visibility: internal)
  public static func retry(
    attempts: Int, delay: Double, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise { preconditionFailure("unavailable") }
}
