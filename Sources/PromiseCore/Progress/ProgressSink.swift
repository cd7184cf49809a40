/// A receiver of the progress of a promise, which is a closure on a context or an asynchronous sequence.
///
/// Several threads may call the methods at the same time, and with values in any order. A sink shows a value only if it
/// is higher than the last. The methods are never called under a lock.
class ProgressSink: @unchecked Sendable {
  // `@unchecked`, because subclasses guard their stored properties.

  /// Offers the present progress. `isLast` says that no further value follows.
  func offer(_ value: Double, isLast: Bool) {}

  /// Ends the sink, because the promise is settled. No further value follows.
  func end() {}
}
