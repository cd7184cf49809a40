import Synchronization

// All diagnostics that every promise would pay for are off by default. One word records which are on. While none is
// on, a promise and a link pay for one load of that word.

extension Diagnostics {
  /// The diagnostics that are on:
  ///
  ///      63 ……… 24   23 ……… 3    2          1         0
  ///     ┌───────────┬───────────┬──────────┬─────────┬─────────┐
  ///     │ scopes    │ recorders │ register │ carries │ tracing │
  ///     └───────────┴───────────┴──────────┴─────────┴─────────┘
  ///
  /// `scopes` is the number of scopes in use, and `recorders` that of the recorders. `carries` says that a context is
  /// captured for handlers. `register` says that new promises are entered into the register of pending promises.
  ///
  /// Relaxed everywhere, because it publishes nothing. Code that turns diagnostics on does so before it makes the
  /// promises concerned.
  private static let activity = Atomic<Int>(0)

  private static let tracingBit = 1 << 0
  private static let carryingBit = 1 << 1
  private static let registerBit = 1 << 2
  private static let recorderUnit = 1 << 3
  private static let recordsMask = 0x1F_FFFF << 3
  private static let scopeUnit = 1 << 24

  /// Whether any diagnostics are on.
  static var isActive: Bool { activity.load(ordering: .relaxed) != 0 }

  /// Whether a promise was ever registered. Not part of `activity`, because a registration outlives the diagnostics that
  /// made it, and a settlement must find it.
  private static let everRegistered = Atomic<Bool>(false)

  static var hasRegistrations: Bool {
    // Relaxed, because a thread that settles a promise has got the promise from the thread that made it.
    get { everRegistered.load(ordering: .relaxed) }
    set { everRegistered.store(newValue, ordering: .relaxed) }
  }

  static var tracing: Bool {
    get { activity.load(ordering: .relaxed) & tracingBit != 0 }
    set { set(tracingBit, newValue) }
  }

  static var carriesContext: Bool {
    get { activity.load(ordering: .relaxed) & carryingBit != 0 }
    set { set(carryingBit, newValue) }
  }

  static var isRegistering: Bool {
    get { activity.load(ordering: .relaxed) & registerBit != 0 }
    set { set(registerBit, newValue) }
  }

  static var isRecording: Bool { activity.load(ordering: .relaxed) & recordsMask != 0 }

  private static func set(_ bit: Int, _ isOn: Bool) {
    if isOn {
      activity.bitwiseOr(bit, ordering: .relaxed)
    } else {
      activity.bitwiseAnd(~bit, ordering: .relaxed)
    }
  }

  static func scopeBegan() { activity.add(scopeUnit, ordering: .relaxed) }
  static func scopeEnded() { activity.subtract(scopeUnit, ordering: .relaxed) }
  static func recordingBegan() { activity.add(recorderUnit, ordering: .relaxed) }
  static func recordingEnded() { activity.subtract(recorderUnit, ordering: .relaxed) }
}
