import Foundation
import PromiseContexts
public import PromiseCore

// Waiting that blocks: for tests that are no async functions, and for the main of a command-line program.

extension Promise {
  /// Blocks until the promise is settled, and returns its value (reference rows G1 to G4).
  ///
  /// - On the main thread its run loop is run meanwhile, so that handlers on `.main` and run-loop sources go on.
  /// - In a ``TestWorld`` the world is run instead, and the limit is the world's time: nothing blocks.
  /// - On a context that the promise needs, this throws at once instead of blocking it (rule 7.2). In release builds a
  ///   handler that is scheduled already does not know its context. There, and where it cannot be known (decision 12),
  ///   the limit ends the wait.
  ///
  /// The promise has a consumer more as long as this waits (rule 4.0), and its error counts as looked at (rule 7.1). It
  /// stays as it is when the time is up. Not for async code, where `try await promise.value` blocks nothing; nor on a
  /// thread of Swift concurrency, which a synchronous `@Test` has, for what needs such a thread: there are as many as
  /// processors.
  ///
  /// - Parameter limit: how long to wait at most. Zero or less: only look; in a world: run what is ready.
  /// - Throws: ``WaitError``: the promise was rejected, it is still pending, or waiting would block it. For the
  ///   promise's own error see ``waitForOutcome(within:)``.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForResult(within limit: Duration) throws -> Value {
    switch try waitForOutcome(within: limit) {
    case .success(let value): return value
    case .failure(let error): throw WaitError.rejected(error, promise: line)
    }
  }

  /// Blocks until the promise is settled, and returns its error. As ``waitForResult(within:)``.
  ///
  /// - Throws: ``WaitError``: the promise was fulfilled, it is still pending, or waiting would block it.
  @available(*, noasync, message: "use `try await promise.value`")
  @discardableResult
  public func waitForError(within limit: Duration) throws -> any Error {
    switch try waitForOutcome(within: limit) {
    case .success: throw WaitError.fulfilled(promise: line)
    case .failure(let error): return error
    }
  }

  /// Blocks until the promise is settled, and returns how. As ``waitForResult(within:)``; `get()` throws the promise's
  /// own error.
  ///
  /// - Throws: ``WaitError``: the promise is still pending, or waiting would block it.
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

/// Runs the world that the calling code is in until none of its promises is pending (reference row L3). It need not be
/// known: this is for helpers of tests.
///
/// - Parameter limit: how far the world's time may move.
/// - Throws: ``WaitError/noWorld``; ``WorldReport`` of the promises that are pending when nothing is left that could
///   happen within the time.
@available(*, noasync, message: "run async code in a world by `TestWorld.run`")
public func waitForPromises(timeout limit: Duration) throws {
  guard let world = TestWorld.current else { throw WaitError.noWorld }
  try world.waitForPromises(timeout: limit)
}

extension TestWorld {
  /// Runs the world until none of its promises is pending (reference row L3).
  ///
  /// - Parameter limit: how far the world's time may move.
  /// - Throws: ``WorldReport`` of the promises that are pending when nothing is left that could happen within the time.
  public func waitForPromises(timeout limit: Duration) throws {
    // The one that was made last is mostly settled last. Not kept: somebody may wait for it to go.
    weak var last: AnyPromise?
    _ = try runSteps(within: limit) {
      if last?.isPending != true { last = census.promises.last(where: \.isPending) }
      return last != nil
    }
    let pending = pending(among: census.promises)
    if !pending.isEmpty { throw WorldReport(pending: pending) }
  }
}
