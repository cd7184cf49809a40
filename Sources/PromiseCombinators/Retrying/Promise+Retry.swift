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
  ///   - backoff: the pause after a failed attempt. It gets the number of that attempt, from 1.
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
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), on context: any ExecutionContext = .pool,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let timers = timers.effective
    /// - Parameter loop: the result. `nil` for the first attempt, which makes it.
    @Sendable func attempt(_ number: Int, of loop: AnyPromise?) -> Promise {
      startOwned(on: context, by: .retry, at: site, body)
        .rescueOwned(on: context, by: .retry, at: site) { error, result in
          let loop = loop ?? result
          guard loop.isPending, number < attempts, predicate(number, error) else { return nil }
          return Promise<Void>.after(backoff.pause(before: number), settle: .success(()), on: timers, fileID, line)
            .thenOwned(on: InlineContext.shared, by: .retry, at: site) {
              try loop.checkIsLooping()
              return attempt(number + 1, of: loop)
            }
        }
    }
    return attempt(1, of: nil)
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
