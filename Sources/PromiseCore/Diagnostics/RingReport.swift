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
    let tables = promises.map { $0.side.getOrCreateTable() }
    let new = RingReport()
    lock.locked {
      var report = new
      for table in tables { if let existing = table.locked({ $0.ringReport }) { report = existing } }
      for table in tables { table.locked { $0.ringReport = report } }
    }
  }
}

extension AnyPromise {
  /// Takes the report of the ring whose error this settled promise has. Returns `false` if the report was taken before.
  @discardableResult
  final func takeRingReport() -> Bool {
    // A promise of the ring may have been rejected with another error at the same moment.
    guard let report = side.table?.locked({ $0.ringReport }), case PromiseError.cycle? = storedError as? PromiseError
    else { return true }
    return report.take()
  }

  /// The promises of the rings through this pending promise, which wait for it and for which it waits. It is one of
  /// them.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises for which this promise waits.
  final var promisesOfRing: [AnyPromise] {
    // Those that wait for each promise, as far as this promise waits for them.
    var waiting: [ObjectIdentifier: [AnyPromise]] = [:]
    var visited: Set<ObjectIdentifier> = []
    forEachAwaited { promise in
      guard visited.insert(ObjectIdentifier(promise)).inserted else { return false }
      let sources = promise.upstream
      sources.forEachElement { waiting[ObjectIdentifier($0.resolved), default: []].append(promise) }
      for input in promise.combination?.inputs ?? [] {
        waiting[ObjectIdentifier(input.resolved), default: []].append(promise)
      }
      return true
    }
    var members: [ObjectIdentifier: AnyPromise] = [ObjectIdentifier(self): self]
    var found = [self]
    while let next = found.popLast() {
      for promise in waiting[ObjectIdentifier(next)] ?? []
      where members.updateValue(promise, forKey: ObjectIdentifier(promise)) == nil {
        found.append(promise)
      }
    }
    return Array(members.values)
  }
}
