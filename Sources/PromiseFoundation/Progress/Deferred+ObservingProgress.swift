#if canImport(ObjectiveC)
  public import Foundation
  import ObjectiveC
  public import PromiseContexts

  extension Deferred {
    /// Reports whatever a `Progress` shows, until the promise is settled; and cancels the `Progress` if the promise is
    /// cancelled.
    ///
    /// ```swift
    /// deferred.report(observing: progress)
    /// ```
    ///
    /// Does not keep this deferred. Not on Linux, where a `Progress` cannot be observed: see ``report(progress:)``.
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
