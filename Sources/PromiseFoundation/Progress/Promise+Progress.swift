public import Foundation
public import PromiseContexts

extension Foundation.Progress {
  /// Returns a `Progress` that shows the progress of a promise, for views and trees of `Progress`.
  ///
  /// ```swift
  /// total.addChild(.following(download, on: .queue(.main)), withPendingUnitCount: 1)
  /// ```
  ///
  /// When the promise is fulfilled, the `Progress` is complete. When the promise is rejected, the `Progress` stays as
  /// it is. When the promise is cancelled, the `Progress` is cancelled, too. Cancelling the `Progress` cancels the
  /// promise with `upstream: true` (rule 4.6).
  ///
  /// The promise retains the `Progress` until it is settled. The `Progress` does not retain the promise, and does not
  /// count as a consumer (rule 4.0).
  ///
  /// - Parameters:
  ///   - promise: the promise whose progress is shown.
  ///   - context: the context on which the `Progress` is changed. On Linux a `Progress` has no lock, so read it on the
  ///     same context.
  ///   - totalUnitCount: the number of units of the `Progress`. With 0 or a negative number, the `Progress` is
  ///     indeterminate until the promise is fulfilled. Then it has one unit, which is complete.
  public static func following<Value>(
    _ promise: Promise<Value>, on context: any ExecutionContext, totalUnitCount: Int64 = 1_000
  ) -> Foundation.Progress {
    let progress = Foundation.Progress.discreteProgress(totalUnitCount: totalUnitCount)
    progress.isCancellable = true
    // The owner's promise. The promise that a client has may be another one, which is released before the owner's
    // promise is settled (`Deferred(cancelsWithoutClients: true)`).
    progress.cancellationHandler = { [weak promise = promise.resolved] in promise?.cancel(upstream: true) }
    let units = Units(of: progress, count: totalUnitCount)
    promise.onProgress(on: context) { units.show($0) }
    promise.whenSettled { settled in
      // A cancellation of the settled promise takes the last call of the closure above back.
      if settled.isFulfilled { _ = Promise.run(on: context) { units.show(1) } }
      if settled.isCancelled {
        _ = Promise.run(on: context) {
          progress.cancellationHandler = nil
          progress.cancel()
        }
      } else {
        // Queued observers can still be taken back until they have run.
        settled.whenObserversRan { _ = Promise.run(on: context) { progress.cancellationHandler = nil } }
      }
    }
    return progress
  }
}

/// Shows fractions as units of a `Progress`.
///
/// `@unchecked Sendable`, because a `Progress` has a lock on Apple's systems, and is only used on one context on Linux.
private struct Units: @unchecked Sendable {
  private let progress: Foundation.Progress
  private let count: Int64

  init(of progress: Foundation.Progress, count: Int64) {
    self.progress = progress
    self.count = count
  }

  func show(_ fraction: Double) {
    guard count > 0 else {
      // A Progress without units never counts as finished, and neither does its parent.
      if fraction == 1 {
        progress.totalUnitCount = 1
        progress.completedUnitCount = 1
      }
      return
    }
    // The count at the end is exact. A large count that is rounded to a `Double` may exceed `Int64.max`.
    progress.completedUnitCount = fraction < 1 ? Int64(fraction * Double(count)) : count
  }
}

extension Deferred {
  /// Reports the current fraction of a `Progress`, as ``Deferred/report(progress:)`` does. Call it whenever the
  /// `Progress` has changed.
  ///
  /// - Returns: `false` if the report was dropped (rule 5.1).
  @discardableResult
  public func report(progress: Foundation.Progress) -> Bool { report(progress: progress.fractionCompleted) }
}
