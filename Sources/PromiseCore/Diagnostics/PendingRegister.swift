/// A promise in a table of pending promises.
package struct RegisteredPromise {
  enum Phase {
    case pending(AnyPromise)
    /// Settled. The promise may be deallocated.
    case unfinished(Finish)
  }

  let phase: Phase
  let age: Duration
  /// The number in the recording to which the table belongs. 0 in the register.
  package let number: Int

  var awaited: Awaited {
    switch phase {
    case .pending(let promise): .promise(promise.resolved)
    case .unfinished(let finish): .finish(finish)
    }
  }

  var isPending: Bool { if case .pending = phase { true } else { false } }

  var subject: Finish.Subject {
    switch phase {
    case .pending(let promise):
      Finish.Subject(site: promise.site, operation: promise.operation, isCleanup: false, label: promise.label)
    case .unfinished(let finish): finish.subject
    }
  }

  /// What has made the promise, if no operator has, and it is known.
  var maker: Operation? {
    switch phase {
    case .pending(let promise): promise.resourceMaker
    case .unfinished(let finish): finish.isOfTask ? .task : nil
    }
  }

  var waitNode: WaitNode {
    switch phase {
    case .pending(let promise): promise.waitNode(note: nil, waitsFor: promise.waitsFor)
    case .unfinished(let finish): finish.waitNode(waitsFor: finish.waitsFor)
    }
  }
}

/// Promises that are pending, or have not finished: those of the register, or of a recorder.
///
/// It is divided into parts, each with a lock of its own, because many threads make promises at the same time.
package final class PendingTable: Sendable {
  private let parts = (0..<16).map { _ in Part() }

  package init() {}

  /// The registrations of one part. They are not retained, because the promises have them.
  ///
  /// `@unchecked Sendable`, because the dictionary is accessed under the lock only.
  private final class Part: @unchecked Sendable {
    let lock = ShortLock()
    var registrations: [ObjectIdentifier: Weak] = [:]
  }

  private struct Weak { weak var registration: Registration? }

  private func part(of registration: Registration) -> Part {
    // Objects are aligned to 16 bytes.
    parts[Int(bitPattern: ObjectIdentifier(registration)) >> 6 & 15]
  }

  func add(_ registration: Registration) {
    let part = part(of: registration)
    part.lock.locked { part.registrations[ObjectIdentifier(registration)] = Weak(registration: registration) }
  }

  /// Called by `deinit` of a registration. No other object can have the same identifier yet.
  func remove(_ registration: Registration) {
    let part = part(of: registration)
    _ = part.lock.locked { part.registrations.removeValue(forKey: ObjectIdentifier(registration)) }
  }

  /// The numbers of the promises that are pending now, or have not finished.
  package var numbers: Set<Int> {
    // Retained outside the lock until they are released, because a release may run `remove`.
    let all = parts.map { part in part.lock.locked { Array(part.registrations.values) } }
    return Set(all.joined().compactMap { $0.registration?.number })
  }

  /// The promises that are pending now, or have not finished, with their ages at a time, the oldest first.
  func promises(at time: Duration) -> [RegisteredPromise] {
    var found: [RegisteredPromise] = []
    for part in parts {
      // Retained outside the lock until they are released, because a release may run `remove`.
      let weak = part.lock.locked { Array(part.registrations.values) }
      for registration in weak.compactMap(\.registration) {
        guard let phase = registration.phase else { continue }
        found.append(RegisteredPromise(phase: phase, age: time - registration.time, number: registration.number))
      }
    }
    return found.sorted { ($1.age, $0.number) < ($0.age, $1.number) }
  }
}

/// The register of the promises that are pending, or have not finished, and that were made while
/// ``Diagnostics/recordsPendingPromises`` was on.
package enum PendingRegister {
  static let table = PendingTable()

  private static let start = ContinuousClock.now
  private static let clock = HookSlot<@Sendable () -> Duration>()

  /// The time on the clock of the register.
  package static var now: Duration { clock.current?() ?? start.duration(to: .now) }

  /// Replaces the clock, for a test. Returns the clock that was set before.
  package static func setClock(_ new: (@Sendable () -> Duration)?) -> (@Sendable () -> Duration)? {
    clock.replace(by: new)
  }
}
