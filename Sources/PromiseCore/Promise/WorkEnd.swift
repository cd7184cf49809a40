/// The moment from which an operation counts as over, for a gate, a loop or a cache.
///
/// The two moments differ only after a cancellation, a limit or an awaited hook (rule 2.11).
public enum WorkEnd: Hashable, Sendable {
  /// The promise of the operation is settled. The work behind it may still run.
  case settled
  /// The promise of the operation has finished. Nothing of it runs any more.
  case finished
}
