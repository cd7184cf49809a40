import Synchronization

// All diagnostics that every promise would pay for are off by default. One word records which are on. While none is
// on, a promise and a link pay for one load of that word.

extension Diagnostics {
  /// The diagnostics that are on:
  ///
  ///      63 ………… 2    1         0
  ///     ┌──────────┬─────────┬─────────┐
  ///     │ scopes   │ carries │ tracing │
  ///     └──────────┴─────────┴─────────┘
  ///
  /// `scopes` is the number of scopes in use. `carries` says that a context is captured for handlers.
  ///
  /// Relaxed everywhere, because it publishes nothing. Code that turns diagnostics on does so before it makes the
  /// promises concerned.
  private static let activity = Atomic<Int>(0)

  private static let tracingBit = 1 << 0
  private static let carryingBit = 1 << 1
  private static let scopeUnit = 1 << 2

  /// Whether any diagnostics are on.
  static var isActive: Bool { activity.load(ordering: .relaxed) != 0 }

  static var tracing: Bool {
    get { activity.load(ordering: .relaxed) & tracingBit != 0 }
    set { set(tracingBit, newValue) }
  }

  static var carriesContext: Bool {
    get { activity.load(ordering: .relaxed) & carryingBit != 0 }
    set { set(carryingBit, newValue) }
  }

  private static func set(_ bit: Int, _ isOn: Bool) {
    if isOn {
      activity.bitwiseOr(bit, ordering: .relaxed)
    } else {
      activity.bitwiseAnd(~bit, ordering: .relaxed)
    }
  }

  static func scopeBegan() { activity.add(scopeUnit, ordering: .relaxed) }
  static func scopeEnded() { activity.subtract(scopeUnit, ordering: .relaxed) }
}
