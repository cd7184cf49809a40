import PromiseCore

/// Promises that are pending, or have not finished: those of the register, or of a recorder.
///
/// It is divided into parts, each with a lock of its own, because many threads make promises at the same time.
package final class PendingTable: PendingList {
  private let parts = (0..<16).map { _ in Part() }

  package init() {}

  package var now: Duration { PendingRegister.now }

  /// The records of one part, by their enrollments.
  ///
  /// `@unchecked Sendable`, because the dictionary is accessed under the lock only.
  private final class Part: @unchecked Sendable {
    let lock = ShortLock()
    var records: [ObjectIdentifier: PendingRecord] = [:]
  }

  private func part(of enrollment: ObjectIdentifier) -> Part {
    // Objects are aligned to 16 bytes.
    parts[Int(bitPattern: enrollment) >> 6 & 15]
  }

  package func add(_ record: PendingRecord, for enrollment: ObjectIdentifier) {
    let part = part(of: enrollment)
    part.lock.locked { part.records[enrollment] = record }
  }

  package func remove(_ enrollment: ObjectIdentifier) {
    let part = part(of: enrollment)
    _ = part.lock.locked { part.records.removeValue(forKey: enrollment) }
  }

  /// The numbers of these promises in a recording, also of those that are being settled.
  var numbers: Set<Int> {
    parts.reduce(into: []) { numbers, part in
      numbers.formUnion(part.lock.locked { part.records.values.map(\.number) })
    }
  }

  /// The promises that are pending now, or have not finished, the oldest first.
  var promises: [EnrolledPromise] {
    var found: [EnrolledPromise] = []
    for part in parts {
      // Their promises are retained and released outside the lock, because a release may run `remove`.
      let records = part.lock.locked { Array(part.records.values) }
      found += records.compactMap { EnrolledPromise($0) }
    }
    return found.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
  }
}

/// The register of the promises that are pending, or have not finished, and that were made while
/// `Diagnostics.recordsPendingPromises` was on.
package enum PendingRegister {
  static let table = PendingTable()

  private static let start = ContinuousClock.now
  private static let clock = Clock()

  /// `@unchecked Sendable`, because the closure is accessed under the lock only.
  private final class Clock: @unchecked Sendable {
    let lock = ShortLock()
    var time: (@Sendable () -> Duration)?
  }

  /// The time on the clock of the register.
  package static var now: Duration { clock.lock.locked { clock.time }?() ?? start.duration(to: .now) }

  /// Replaces the clock, for a test. Returns the clock that was set before.
  package static func setClock(_ new: (@Sendable () -> Duration)?) -> (@Sendable () -> Duration)? {
    clock.lock.locked {
      defer { clock.time = new }
      return clock.time
    }
  }
}
