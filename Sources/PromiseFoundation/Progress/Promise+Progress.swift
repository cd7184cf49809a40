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
  /// promise with `upstream: true` (rule 4.6), on the thread on which Foundation calls the cancellation handler, perhaps
  /// after the call has returned.
  ///
  /// The promise retains the `Progress` until it is settled. The `Progress` does not retain the promise, and does not
  /// count as a consumer (rule 4.0).
  ///
  /// - Parameters:
  ///   - promise: the promise whose progress is shown.
  ///   - context: the context on which the `Progress` is changed, by one handler at a time. On Linux a `Progress` has no
  ///     lock, so read it on the same context, and choose one where handlers do not overlap.
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
    let changes = ProgressChanges(of: progress, count: totalUnitCount)
    promise.onProgress(on: context) { changes.make(.show($0)) }
    promise.whenSettled { settled in
      // No promise is rejected if the context drops the job. A cancellation of the settled promise does not take the job
      // back, as it does with the last call of the closure above. A queued job does not retain the settled promise,
      // which would delay the report of its unhandled rejection.
      let site = settled.createdAt
      @Sendable func schedule(_ change: ProgressChanges.Change) {
        context.schedule(at: site) { changes.make(change) }
      }
      if settled.isFulfilled { schedule(.show(1)) }
      if settled.isCancelled {
        schedule(.cancel)
      } else {
        // Queued observers can still be taken back until they have run.
        settled.whenObserversRan { schedule(.removeCancellationHandler) }
      }
    }
    return progress
  }
}

/// Changes a `Progress`, one change at a time.
///
/// On a context where handlers overlap, two of them may have a change at the same time. The first makes those of the
/// others, too. It holds no lock meanwhile, because a `Progress` may call code of clients when it changes.
private final class ProgressChanges: @unchecked Sendable {
  // `@unchecked Sendable`, because `waiting` and `isChanging` are used under the lock, and `progress` and `shown` by the
  // handler that has set `isChanging`. A `Progress` has a lock on Apple's systems. On Linux, clients read it on the same
  // context.
  private let lock = ShortLock()
  private var waiting: [Change] = []
  private var isChanging = false

  private let progress: Foundation.Progress
  private let count: Int64
  private var shown = 0.0

  enum Change {
    /// Shows a fraction as units, if it is above the last one.
    case show(Double)
    case removeCancellationHandler, cancel
  }

  init(of progress: Foundation.Progress, count: Int64) {
    self.progress = progress
    self.count = count
  }

  /// Makes a change, or leaves it to the handler that is making another one.
  func make(_ change: Change) {
    let isFirst = lock.locked {
      waiting.append(change)
      defer { isChanging = true }
      return !isChanging
    }
    if isFirst { while let next = takeNext() { makeNow(next) } }
  }

  private func takeNext() -> Change? {
    lock.locked {
      isChanging = !waiting.isEmpty
      return isChanging ? waiting.removeFirst() : nil
    }
  }

  private func makeNow(_ change: Change) {
    switch change {
    case .show(let fraction):
      // The last value and an earlier one may come in any order.
      guard fraction > shown else { return }
      shown = fraction
      show(fraction)
    case .removeCancellationHandler: progress.cancellationHandler = nil
    case .cancel:
      progress.cancellationHandler = nil
      progress.cancel()
    }
  }

  private func show(_ fraction: Double) {
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
