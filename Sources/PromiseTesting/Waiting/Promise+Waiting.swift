import Foundation
import PromiseContexts
public import PromiseCore

// Blocking waits, for tests that are not async functions and for the `main` of a command-line program.

extension Promise {
  /// Blocks until the promise is settled, and returns its value.
  ///
  /// - On the main thread, the run loop runs meanwhile, so handlers on `.main` and run-loop sources also run.
  /// - In a ``TestWorld``, the world runs instead. The limit is in the world's time, and nothing blocks.
  /// - On a context that the promise needs, this throws at once instead of blocking it (rule 7.2). Only debug builds
  ///   know where handlers are to run. In release builds, and for contexts that cannot be recognised, the limit ends
  ///   the wait.
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
  ///   promise's own error, see ``waitForOutcome(within:)``.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForResult(within limit: Duration) throws -> Value {
    switch try waitForOutcome(within: limit) {
    case .success(let value): return value
    case .failure(let error): throw WaitError.rejected(error, promise: line)
    }
  }

  /// Blocks until the promise is settled, and returns its error. It waits as ``waitForResult(within:)`` does.
  ///
  /// - Throws: ``WaitError`` if the promise was fulfilled, is still pending, or would be blocked by the wait.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForError(within limit: Duration) throws -> any Error {
    switch try waitForOutcome(within: limit) {
    case .success: throw WaitError.fulfilled(promise: line)
    case .failure(let error): return error
    }
  }

  /// Blocks until the promise is settled, and returns its value or error. It waits as ``waitForResult(within:)`` does.
  /// `get()` of the result throws the promise's own error.
  ///
  /// - Throws: ``WaitError`` if the promise is still pending, or would be blocked by the wait.
  @available(*, noasync, message: "use `try await promise.value`")
  public func waitForOutcome(within limit: Duration) throws -> Result<Value, any Error> {
    if isPending {
      if let world = TestWorld.current {
        try world.settle(self, within: limit)
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

/// Runs the world of the calling code until none of its promises is pending. For helpers of tests that do not know the
/// world.
///
/// Outside a world this fails, because the library keeps no list of a program's promises. There, wait for the promises
/// themselves, as in `try Promise.allSettled(promises).waitForResult(within: .seconds(5))`. `allSettled` is in
/// PromiseCombinators.
///
/// - Parameter limit: the longest duration by which the world's time may move.
/// - Throws: ``WaitError/noWorld`` outside a world, or ``WorldReport`` of the promises that are still pending when
///   nothing is left that could happen within the time.
@available(*, noasync, message: "run async code in a world by `TestWorld.run`")
public func waitForPromises(timeout limit: Duration) throws {
  guard let world = TestWorld.current else { throw WaitError.noWorld }
  try world.waitForPromises(timeout: limit)
}

extension TestWorld {
  /// Runs the world until none of its promises is pending.
  ///
  /// - Parameter limit: the longest duration by which the world's time may move.
  /// - Throws: ``WorldReport`` of the promises that are still pending when nothing is left that could happen within the
  ///   time.
  public func waitForPromises(timeout limit: Duration) throws {
    // The promise that was made last is usually settled last. It is not retained, because a test may wait for its
    // release.
    weak var last: AnyPromise?
    _ = try runSteps(within: limit) {
      if last?.isPending != true { last = registry.promises.last(where: \.isPending) }
      return last != nil
    }
    let pending = pending(among: registry.promises)
    if !pending.isEmpty { throw WorldReport(pending: pending) }
  }
}
