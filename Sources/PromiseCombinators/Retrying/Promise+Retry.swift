public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the closure, and again if its promise is rejected, so many times (reference row E10; google/promises'
  /// `retry`, whose defaults these are: one more attempt, after a second).
  ///
  /// ```swift
  /// let page = Promise.retry(3, backoff: .exponential(first: .milliseconds(100)).jittered()) { server.load(url) }
  /// ```
  ///
  /// - Failure: rejected with the error of the last attempt. A cancelled attempt is the last (rule 1.2).
  /// - Cancelling the result, in either form, ends it: the pause, or the running attempt, which is given up with all that it waits
  ///   for (rule 4.6).
  /// - Progress: that of the first attempt; each other adds to it, within what was left (rule 5.4; reference row J4).
  ///
  /// - Parameters:
  ///   - retries: how often to try anew; the closure is called once more than that at most. Zero or less: once.
  ///   - backoff: how long to wait before.
  ///   - context: where the closure runs, the first time too, and the predicate.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - predicate: whether to try anew. With the number of attempts that are left, the one in question included.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: one attempt. A throw is a rejection.
  /// - Complexity: O(1) for each attempt.
  public static func retry(
    _ retries: Int = 1, backoff: Backoff = .constant(.seconds(1)), on context: any ExecutionContext = .pool,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (_ remaining: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let timers = timers.here
    @Sendable func attempt(_ number: Int) -> Promise {
      startOwned(on: context, at: site, body)
        .rescueOwned(on: context, at: site) { error in
          let remaining = retries - number
          guard remaining > 0, predicate(remaining, error) else { return nil }
          return Promise<Void>.after(backoff.pause(before: number + 1), settle: .success(()), on: timers, fileID, line)
            .thenOwned(on: Immediately.shared, at: site) { attempt(number + 1) }
        }
    }
    return attempt(0)
  }
}
