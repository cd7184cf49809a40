// With APPLE_FAKES this file is compiled into Tests/AppleBranchTests, with a fake of key-value observation.
#if canImport(ObjectiveC) || APPLE_FAKES
  public import Foundation
  #if canImport(ObjectiveC)
    import ObjectiveC
  #endif
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
      // Not `promise`: a deferred that observes its clients would be cancelled, because no client retains that promise.
      ownedPromise.whenSettled { watching.object.invalidate() }
      onCancel { _ in progress.cancel() }
    }
  }
#endif
