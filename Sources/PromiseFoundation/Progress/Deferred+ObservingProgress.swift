#if canImport(ObjectiveC)
  public import Foundation
  import ObjectiveC
  public import PromiseContexts

  extension Deferred {
    /// Reports the fraction of a `Progress` until the promise is settled. Cancels the `Progress` if the promise is
    /// cancelled.
    ///
    /// ```swift
    /// deferred.report(observing: progress)
    /// ```
    ///
    /// This does not retain the deferred. On Linux a `Progress` cannot be observed. See ``report(progress:)`` for an
    /// alternative.
    public func report(observing progress: Foundation.Progress) {
      let observation = progress.observe(\.fractionCompleted, options: [.initial, .new]) { [weak self] progress, _ in
        self?.report(progress: progress.fractionCompleted)
      }
      let watching = UncheckedBox(observation)
      promise.whenSettled { watching.object.invalidate() }
      onCancel { _ in progress.cancel() }
    }
  }
#endif
