extension Deferred {
  /// Reports the progress of the work (rule 5.1).
  ///
  /// The report reaches the observers of this promise and of the promises derived from it, such as
  /// ``Promise/onProgress(on:_:)`` and ``Promise/progressUpdates``. They run on their contexts, soon after this call
  /// and never inside it. No value traps.
  ///
  /// - Parameter progress: a fraction from 0 to 1. A value above 1, including infinity, counts as 1.
  /// - Returns: `false` if the report was dropped, because it is NaN, is not above the present ``AnyPromise/progress``,
  ///   or came after the promise was settled or cancelled.
  /// - Complexity: O(*n*), where *n* is the number of notified observers and of observed promises on the way to them.
  ///   If one of these promises is the result of a combinator, all its inputs count, too. If the promise follows
  ///   another, as ``AnyPromise/progress``. The first report makes the side table of the promise.
  @discardableResult @Sendable
  public func report(progress: Double) -> Bool { source.reportProgress(progress) }
}

extension AnyPromise {
  fileprivate final func reportProgress(_ progress: Double) -> Bool {
    // The comparison is false for NaN.
    guard progress > 0, acquiredState.isPending else { return false }
    let value = min(progress, 1)
    // The followed promise may have more progress.
    if isFollowing, value <= self.progress { return false }
    guard let audience = raiseProgress(to: value) else { return false }
    ProgressWatch.wake(audience.watches)
    return true
  }
}
