import PromiseContexts
public import PromiseCore

// Blocking waits, for the `main` of a command-line program and for tests that are not async functions.

extension Promise {
  /// Blocks until the promise is settled, and returns its value.
  ///
  /// ```swift
  /// let answer = try Promise.run { 6 * 7 }.waitForValue(within: .seconds(60))
  /// ```
  ///
  /// - On the main thread, the run loop runs meanwhile, so handlers on `.main`, on `OperationQueue.main` and on a
  ///   `ThreadContext` of that thread also run, as do sources of the loop.
  /// - In a `TestWorld`, the world runs instead. The limit is in the world's time, and nothing blocks.
  /// - On a context that the promise needs, this throws at once instead of blocking it (rule 7.2). Release builds know
  ///   the context of a handler only until the handler is scheduled. For other handlers, and for contexts that cannot
  ///   be recognised, the limit ends the wait.
  ///
  /// While this waits, the promise has one more consumer (rule 4.0). Its error counts as handled (rule 7.1). When the
  /// time is up, the promise stays as it is.
  ///
  /// Async code uses `try await promise.value`, which blocks nothing. A synchronous `@Test` runs on a thread of Swift
  /// concurrency. There are as many of these as processors, so a wait there must not be for work that needs such a
  /// thread.
  ///
  /// - Parameter limit: the longest time to wait. Zero or less only reads the state. In a world, it runs the steps that
  ///   are ready.
  /// - Returns: the value.
  /// - Throws: ``WaitError`` if the promise was rejected, is still pending, or would be blocked by the wait. For the
  ///   promise's own error, see ``waitForResult(within:)``.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForValue(within limit: Duration) throws -> Value {
    switch try waitForResult(within: limit) {
    case .success(let value): return value
    case .failure(let error): throw WaitError.rejected(error, promise: line)
    }
  }

  /// Blocks until the promise is settled, and returns its error. It waits as ``waitForValue(within:)`` does.
  ///
  /// - Throws: ``WaitError`` if the promise was fulfilled, is still pending, or would be blocked by the wait.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForError(within limit: Duration) throws -> any Error {
    switch try waitForResult(within: limit) {
    case .success: throw WaitError.fulfilled(promise: line)
    case .failure(let error): return error
    }
  }

  /// Blocks until the promise is settled, and returns its value or error. It waits as ``waitForValue(within:)`` does.
  /// `get()` of the result throws the promise's own error.
  ///
  /// - Throws: ``WaitError`` if the promise is still pending, or would be blocked by the wait.
  @available(*, noasync, message: "use `try await promise.value`")
  public func waitForResult(within limit: Duration) throws -> Result<Value, any Error> {
    if isPending {
      if let environment = Diagnostics.waitingEnvironment {
        try environment.settle(self, within: limit)
      } else if limit <= .zero {
        throw timedOut(after: limit)
      } else {
        try Wait(for: self, within: limit).run()
      }
    }
    guard let result else { preconditionFailure("settled, without a result") }
    return result
  }
}
