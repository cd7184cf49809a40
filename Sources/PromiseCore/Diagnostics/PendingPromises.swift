import Synchronization

extension Diagnostics {
  /// Whether promises that are made from now on are entered into the register of pending promises, for
  /// ``pending(olderThan:)``. The default is `false`.
  ///
  /// May be changed at any time, from any thread, in any build. While it is on, every promise that is made costs two
  /// more objects and an entry in a table until it is settled. While it is off, a promise costs nothing more.
  public static var recordsPendingPromises: Bool {
    get { isRegistering }
    set { isRegistering = newValue }
  }

  /// Returns the promises that are pending now, and were made while ``recordsPendingPromises`` was on.
  ///
  /// ```swift
  /// Diagnostics.recordsPendingPromises = true
  /// // later
  /// print(Diagnostics.pending())
  /// ```
  ///
  /// May be called from any thread. It takes no snapshot of one moment, because it stops no other thread.
  ///
  /// - Parameter age: only promises that were made at least this long ago are counted.
  /// - Complexity: O(*n* log *n*), where *n* is the number of promises in the register.
  public static func pending(olderThan age: Duration = .zero) -> PendingPromises {
    pending(olderThan: age, at: PendingRegister.now)
  }

  /// - Parameter time: the time on the clock of the register.
  package static func pending(olderThan age: Duration, at time: Duration) -> PendingPromises {
    PendingPromises(PendingRegister.pending(at: time).filter { $0.age >= age })
  }
}

/// The promises of a program that are pending, as ``Diagnostics/pending(olderThan:)`` returns them.
public struct PendingPromises: Sendable {
  /// The promises that were made at one place in the source with one label.
  public struct Group: Sendable {
    /// The place where they were made.
    public let createdAt: CreationSite
    /// The operator that made them. `nil` for promises of owners.
    public let operation: String?
    /// Their label.
    public let label: String?
    /// Their number.
    public internal(set) var count: Int
    /// The age of the oldest.
    public let oldestAge: Duration
    /// The age of the newest.
    public internal(set) var newestAge: Duration
  }

  /// The number of promises.
  public let count: Int
  /// The promises by place and label, the most numerous first.
  public let groups: [Group]
  /// The oldest promises, at most eight, each with everything for which it waits.
  public let oldest: [WaitNode]

  init(_ pending: [(promise: AnyPromise, age: Duration)]) {
    struct Key: Hashable {
      let site: CreationSite
      let operation: Operation?
      let label: String?
    }
    count = pending.count
    var groups: [Key: Group] = [:]
    for (promise, age) in pending {
      let key = Key(site: promise.createdAt, operation: promise.operation, label: promise.label)
      let first = Group(
        createdAt: key.site, operation: key.operation?.name, label: key.label, count: 0, oldestAge: age, newestAge: age)
      groups[key, default: first].count += 1
      groups[key]?.newestAge = age
    }
    self.groups = groups.values.sorted { ($0.count, $0.oldestAge) > ($1.count, $1.oldestAge) }
    oldest = pending.prefix(8).map { $0.promise.waitNode(note: nil, waitsFor: $0.promise.waitsFor) }
  }
}

extension PendingPromises: CustomStringConvertible {
  /// The number of promises, a line for each group, and the trees of the oldest promises.
  public var description: String {
    guard count > 0 else { return "no promise is pending" }
    var lines = [count == 1 ? "1 promise is pending:" : "\(count) promises are pending:"]
    lines += groups.prefix(20).map { group in
      let label = group.label.map { " \"\(oneLine($0, atMost: PromiseTree.longest))\"" } ?? ""
      return "  \(group.count)\(label) made by \(group.operation ?? "an owner") at \(group.createdAt), "
        + "the oldest \(group.oldestAge) ago"
    }
    if groups.count > 20 { lines.append("  … \(groups.count - 20) more places") }
    for node in oldest {
      lines += node.lines(at: 0).map { depth, text in
        String(repeating: "  ", count: depth) + (depth == 0 ? String(text.dropFirst("waits for ".count)) : text)
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// The register of the promises that are pending, and that were made while ``Diagnostics/recordsPendingPromises`` was
/// on.
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

  /// The promises that are pending now, with their ages at a time, the oldest first.
  static func pending(at time: Duration) -> [(promise: AnyPromise, age: Duration)] {
    var found: [(promise: AnyPromise, age: Duration)] = []
    for part in parts {
      // Retained outside the lock until they are released, because a release may run `remove`.
      let weak = part.lock.locked { Array(part.registrations.values) }
      for registration in weak.compactMap(\.registration) {
        guard let promise = registration.promise, promise.isPending else { continue }
        found.append((promise, time - registration.time))
      }
    }
    return found.sorted { $0.age > $1.age }
  }

  // MARK: The clock

  private static let start = ContinuousClock.now
  private static let clock = HookSlot<@Sendable () -> Duration>()

  /// The time on the clock of the register.
  package static var now: Duration { clock.current?() ?? start.duration(to: .now) }

  /// Replaces the clock, for a test. Returns the clock that was set before.
  package static func setClock(_ new: (@Sendable () -> Duration)?) -> (@Sendable () -> Duration)? {
    clock.replace(by: new)
  }
}
