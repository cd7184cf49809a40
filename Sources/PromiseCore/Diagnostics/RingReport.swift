import Synchronization

/// The one report that the promises of a ring may make together (rule 7.1).
///
/// The promise that was found to wait for itself is rejected, and its error passes to the others. They share the report,
/// so that only the first of them that is deallocated unhandled is reported, and none if one of them was handled before.
final class RingReport: Sendable {
  // Relaxed, because nothing is published with it.
  private let isTaken = Atomic<Bool>(false)

  /// Takes the report. Returns `false` if it was taken before, by a report or because the error was handled.
  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

extension AnyPromise {
  /// The report of the ring whose error this promise has, if any.
  final var ringReport: RingReport? { side.table?.locked { $0.ringReport } }
}
