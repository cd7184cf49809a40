import Synchronization

/// The one report that the promises of a ring may make together (rule 7.1).
///
/// The promise that was found to wait for itself is rejected, and its error passes to the others. They share the report,
/// so that only the first of them that is deallocated unhandled is reported, and none if one of them was handled before.
final class RingReport: Sendable {
  // Relaxed, because nothing is published with it.
  private let isTaken = Atomic<Bool>(false)

  /// Held while promises get their report, so that two threads that close a ring together give it one.
  private static let lock = ShortLock()

  /// Takes the report. Returns `false` if it was taken before, by a report or because the error was handled.
  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }

  /// Gives the promises one report, unless one of them has a report already.
  static func share(among promises: [AnyPromise]) {
    let new = RingReport()
    lock.locked {
      var report = new
      for promise in promises { if let existing = promise.ringReport { report = existing } }
      for promise in promises { promise.locked { promise.sideTable.ringReport = report } }
    }
  }
}

extension AnyPromise {
  /// Takes the report of the ring whose error this settled promise has. Returns `false` if the report was taken before.
  @discardableResult
  final func takeRingReport() -> Bool {
    // A promise of the ring may have been rejected with another error at the same moment.
    guard let report = ringReport, case PromiseError.cycle? = storedError as? PromiseError else { return true }
    return report.take()
  }

  fileprivate final var ringReport: RingReport? { locked { side?.ringReport } }

  /// The promises of the rings through this pending promise: those for which it waits, and which wait for it. This
  /// promise is the first. Each of the others waits for an earlier one.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises for which this promise waits.
  final var promisesOfRing: [AnyPromise] {
    // Those that wait for each promise, as far as this promise waits for them.
    var waiting: [ObjectIdentifier: [AnyPromise]] = [:]
    var visited: Set<ObjectIdentifier> = []
    forEachAwaited { promise in
      guard visited.insert(ObjectIdentifier(promise)).inserted else { return false }
      var awaited: [AnyPromise] = []
      promise.appendAwaited(to: &awaited)
      for source in awaited { waiting[ObjectIdentifier(source.resolved), default: []].append(promise) }
      return true
    }
    var members: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var found = [self]
    var index = 0
    while index < found.count {
      for promise in waiting[ObjectIdentifier(found[index])] ?? []
      where members.insert(ObjectIdentifier(promise)).inserted {
        found.append(promise)
      }
      index += 1
    }
    return found
  }
}
