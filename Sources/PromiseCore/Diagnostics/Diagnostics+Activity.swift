import Synchronization

// Everything here that concerns promises which did nothing wrong is off unless somebody asks for it. One word says what is on; to
// load it is all that a promise, and a link, pays for when nothing is.

extension Diagnostics {
  ///      63 ………… 2    1         0
  ///     ┌──────────┬─────────┬─────────┐
  ///     │ scopes   │ carries │ tracing │
  ///     └──────────┴─────────┴─────────┘
  ///
  /// `scopes`: how many are in use; `carries`: a context is captured for handlers.
  ///
  /// Relaxed, wherever it is read or written: it publishes nothing, and who turns something on does so before making the
  /// promises that are meant.
  private static let activity = Atomic<Int>(0)

  private static let tracingBit = 1 << 0
  private static let carryingBit = 1 << 1
  private static let scopeUnit = 1 << 2

  /// Anything at all is on.
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
