extension Deferred {
  /// Tells how far the work has come (rule 5.1; reference rows C5 and J1).
  ///
  /// Observers of this promise, and of what was made from it, are told soon after, on their contexts, never inside this call:
  /// ``Promise/onProgress(on:_:)``, ``Promise/progressUpdates``. Nothing that is reported traps.
  ///
  /// - Parameter progress: a fraction, 0...1. Above 1, infinity included, counts as 1.
  /// - Returns: `false` if the report was dropped: it is no number, or not above the present ``AnyPromise/progress``,
  ///   or the promise is settled, by a cancellation too.
  /// - Complexity: O(*n*), where *n* is the number of observers that are told, and of promises between them that are
  ///   observed; where one of these is a combinator's result, of its inputs too, all of them. If the promise follows
  ///   another, as ``AnyPromise/progress``. The first report makes the promise's side table.
  @discardableResult @Sendable
  public func report(progress: Double) -> Bool { source.reportProgress(progress) }
}

extension AnyPromise {
  fileprivate final func reportProgress(_ progress: Double) -> Bool {
    // Not true for NaN.
    guard progress > 0, !isProgressOver else { return false }
    let value = min(progress, 1)
    // What it follows may be further.
    if isFollowing, value <= self.progress { return false }
    guard let audience = raiseProgress(to: value) else { return false }
    ProgressWatch.wake(audience.watches)
    return true
  }
}
