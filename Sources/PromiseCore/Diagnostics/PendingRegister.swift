import Synchronization

/// The register of the promises that are pending, and that were made while ``Diagnostics/recordsPendingPromises`` was on.
///
/// It is divided into parts, each with a lock of its own, because many threads make promises at the same time.
package enum PendingRegister {
  private static let parts = (0..<16).map { _ in Part() }

  /// The registrations of one part. They are not retained, because the promises have them.
  ///
  /// `@unchecked Sendable`, because the dictionary is accessed under the lock only.
  private final class Part: @unchecked Sendable {
    let lock = ShortLock()
    var registrations: [ObjectIdentifier: Weak] = [:]
  }

  private struct Weak { weak var registration: Registration? }

  private static func part(of registration: Registration) -> Part {
    // Objects are aligned to 16 bytes.
    parts[Int(bitPattern: ObjectIdentifier(registration)) >> 6 & 15]
  }

  static func add(_ registration: Registration) {
    let part = part(of: registration)
    part.lock.locked { part.registrations[ObjectIdentifier(registration)] = Weak(registration: registration) }
  }

  /// Called by `deinit` of a registration. No other object can have the same identifier yet.
  static func remove(_ registration: Registration) {
    let part = part(of: registration)
    _ = part.lock.locked { part.registrations.removeValue(forKey: ObjectIdentifier(registration)) }
  }

  /// The promises that are pending now, with their ages, the oldest first.
  static var pending: [(promise: AnyPromise, age: Duration)] {
    let now = now
    var found: [(promise: AnyPromise, age: Duration)] = []
    for part in parts {
      // Retained outside the lock until they are released, because a release may run `remove`.
      let weak = part.lock.locked { Array(part.registrations.values) }
      for registration in weak.compactMap(\.registration) {
        guard let promise = registration.promise, promise.isPending else { continue }
        found.append((promise, now - registration.time))
      }
    }
    return found.sorted { $0.age > $1.age }
  }

  // MARK: The clock

  private static let start = ContinuousClock.now
  private static let clock = HookSlot<@Sendable () -> Duration>()

  /// The time on the clock of the register.
  static var now: Duration { clock.current?() ?? start.duration(to: .now) }

  /// Replaces the clock, for a test. Returns the clock that was set before.
  package static func setClock(_ new: (@Sendable () -> Duration)?) -> (@Sendable () -> Duration)? {
    clock.replace(by: new)
  }
}
