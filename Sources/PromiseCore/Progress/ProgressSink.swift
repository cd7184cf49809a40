/// Where the progress of a promise is shown: to a closure on a context, or to a sequence.
///
/// Both ends may be called from several threads, and in any order of the values: a sink shows a value only if it is higher than
/// the last. Never called under a lock.
class ProgressSink: @unchecked Sendable {
  // `@unchecked`: subclasses guard what they store.

  /// The progress is `value` by now. `isLast`: there will be none after that.
  func offer(_ value: Double, isLast: Bool) {}

  /// The promise is settled: after what was offered, nothing will come.
  func end() {}
}
