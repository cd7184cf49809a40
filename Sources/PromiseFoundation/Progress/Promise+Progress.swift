public import Foundation
public import PromiseContexts

extension Foundation.Progress {
  /// A progress that shows that of a promise, for views and trees of `Progress`.
  ///
  /// ```swift
  /// total.addChild(.following(download, on: .queue(.main)), withPendingUnitCount: 1)
  /// ```
  ///
  /// It is complete when the promise is fulfilled. If the promise is rejected it stays where it is, and if it is cancelled, this
  /// is cancelled too. To cancel this cancels the promise with `upstream: true` (rule 4.6). It does not keep the promise, which keeps it until it is settled; it
  /// does not count as a consumer (rule 4.0).
  ///
  /// - Parameters:
  ///   - promise: whose progress it shows.
  ///   - context: where this is changed. A `Progress` of Linux has no lock: there it is to be read on the same.
  ///   - totalUnitCount: into how many units the whole is divided. Any number is legal.
  public static func following<Value>(
    _ promise: Promise<Value>, on context: any ExecutionContext, totalUnitCount: Int64 = 1_000
  ) -> Foundation.Progress {
    let progress = Foundation.Progress.discreteProgress(totalUnitCount: totalUnitCount)
    progress.isCancellable = true
    progress.cancellationHandler = { [weak promise] in promise?.cancel(upstream: true) }
    promise.onProgress(on: context) { fraction in
      // Exact at the end: as a `Double`, a large count may be rounded to one that is more than `Int64.max`.
      progress.completedUnitCount = fraction < 1 ? Int64(fraction * Double(totalUnitCount)) : totalUnitCount
    }
    promise.whenSettled { [weak promise] in
      let isCancelled = promise?.isCancelled == true
      _ = Promise.run(on: context) {
        progress.cancellationHandler = nil
        if isCancelled { progress.cancel() }
      }
    }
    return progress
  }
}

extension Deferred {
  /// Reports how far a `Progress` has come, as ``Deferred/report(progress:)`` does: call it whenever that has changed.
  ///
  /// - Returns: `false` if the report was dropped (rule 5.1).
  @discardableResult
  public func report(progress: Foundation.Progress) -> Bool { report(progress: progress.fractionCompleted) }
}
