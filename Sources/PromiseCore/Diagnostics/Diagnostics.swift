import Synchronization

/// Reports mistakes that a program would not notice otherwise, which are unhandled rejections and second settlements
/// and, in debug builds, work that a call of `cancel()` has left without a consumer (``onUnstoppedWork(_:)``).
///
/// Without a hook, debug builds print unhandled rejections and unstopped work to standard error. Release builds print
/// nothing, unless ``printsUnhandledRejections`` is set. A program sets hooks, for example in its `main`:
///
/// ```swift
/// Diagnostics.onUnhandledRejection { print($0) }
/// Diagnostics.onSecondSettlement { if !$0.wasCancelled { print($0) } }
/// ```
///
/// The hooks belong to the program, so a library should not set them. Code that sets one nevertheless should call the
/// previous hook, which the setter returns. Tests that run in parallel should use
/// ``scoped(unhandledRejection:secondSettlement:unstoppedWork:_:)-55re6``, which reports only on the promises made
/// inside it.
///
/// ## Where hooks run
///
/// A hook runs on the thread that makes the report, inside the call that causes it. For an unhandled rejection, that is
/// the release of the last reference to the promise. For a second settlement, it is the call that came too late, and
/// for unstopped work the call of `cancel`. No lock is held, so a hook may use promises and replace hooks. A hook should
/// be short. Mistakes that the hook itself makes on the same thread or Task before it returns are
/// not reported. Otherwise a hook that drops a rejected promise would be called endlessly.
public enum Diagnostics {
  private static let unhandledRejection = HookSlot<@Sendable (UnhandledRejection) -> Void>()
  private static let secondSettlement = HookSlot<@Sendable (SecondSettlement) -> Void>()

  /// Sets the hook for unhandled rejections. It is called once for each, when the last reference to the promise is
  /// released (rule 7.1). `nil` removes the hook.
  ///
  /// A rejection is handled when a handler for errors has run for it, when a Task has received it from `value`, or when
  /// it was read from `state`, `result` or `error`. Rule 7.1 lists what handles a rejection. `always` does not. A
  /// cancelled promise is never reported.
  ///
  /// While no hook is set, ``printsUnhandledRejections`` decides whether rejections are printed.
  ///
  /// May be called at any time, from any thread. The hook applies to promises that are deallocated afterwards.
  ///
  /// - Returns: the hook that was set before.
  /// - Complexity: O(1).
  @discardableResult
  public static func onUnhandledRejection(
    _ hook: (@Sendable (UnhandledRejection) -> Void)?
  ) -> (@Sendable (UnhandledRejection) -> Void)? { unhandledRejection.replace(by: hook) }

  /// Sets the hook for second settlements. It is called for each `fulfill`, `reject`, `settle`, `follow` or `resolve`
  /// that finds the promise already settled and does not change it (rule 1.3). `nil` removes the hook.
  ///
  /// The calls of an owner whose promise was cancelled are also reported. ``SecondSettlement/wasCancelled``
  /// distinguishes them.
  ///
  /// May be called at any time, from any thread.
  ///
  /// - Returns: the hook that was set before.
  /// - Complexity: O(1).
  @discardableResult
  public static func onSecondSettlement(
    _ hook: (@Sendable (SecondSettlement) -> Void)?
  ) -> (@Sendable (SecondSettlement) -> Void)? { secondSettlement.replace(by: hook) }
}

extension Diagnostics {
  /// Returns the hook for an unhandled rejection of a promise that was made in the scope.
  static func unhandledRejectionHook(in scope: DiagnosticsScope?) -> (@Sendable (UnhandledRejection) -> Void)? {
    scope?.unhandledRejection ?? unhandledRejection.current ?? printingHook
  }

  /// Returns the hook for a second settlement of a promise that was made in the scope.
  static func secondSettlementHook(in scope: DiagnosticsScope?) -> (@Sendable (SecondSettlement) -> Void)? {
    scope?.secondSettlement ?? secondSettlement.current
  }
}

/// A report that an owner settled a promise that was settled already, or made it follow another promise. The promise
/// stayed as it was, and the call returned `false` (rule 1.3).
public struct SecondSettlement: Sendable, CustomStringConvertible {
  /// The error that was refused. `nil` if the owner passed a value, or a promise to follow that was not rejected when
  /// the owner passed it.
  public let error: (any Error)?

  /// The place where the promise was made.
  public let createdAt: CreationSite

  /// Whether the promise had been cancelled, or rejected by a time limit of its owner. In that case the owner made no
  /// mistake, because it may not have known of it yet (``Deferred/onCancel(_:)``).
  public let wasCancelled: Bool

  /// Whether the promise had been rejected by a time limit of its owner. Implies `wasCancelled`.
  let wasTimedOut: Bool

  /// Whether the owner passed a promise to follow.
  let wasFollowing: Bool

  /// Describes in one line where the promise was made, what was refused, and whether the promise had been cancelled or
  /// had timed out.
  public var description: String {
    let refused = error.map { "the error \(oneLine($0))" } ?? (wasFollowing ? "a promise to follow" : "a value")
    let cause =
      wasTimedOut ? " after the promise had timed out" : wasCancelled ? " after the promise had been cancelled" : ""
    return "\(createdAt): settled a second time: \(refused) was refused\(cause)"
  }
}

/// One hook of the process, which may be replaced at any time.
final class HookSlot<Hook: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`, because the hook is accessed under the lock only. It is called and released outside the lock
  // (rule 6.5).
  private var hook: Hook?
  private let lock = ShortLock()

  var current: Hook? { lock.locked { hook } }

  /// Sets the hook and returns the previous one, so that the caller releases it outside the lock.
  func replace(by new: Hook?) -> Hook? { change { _ in new } }

  /// Sets the hook to the result of the closure, and returns the previous one, so that the caller releases it outside
  /// the lock. The closure runs under the lock, so that what it sets always fits the hook.
  func change(_ change: (Hook?) -> Hook?) -> Hook? {
    lock.locked {
      let old = hook
      hook = change(old)
      return old
    }
  }
}

/// One call of a hook. Reports that the same thread or Task makes during the call are dropped, because a hook that
/// drops a rejected promise would otherwise call itself endlessly.
///
/// The call is recorded in a task-local value. On a thread without a Task, that is a thread-local value. A Task that
/// the hook creates inherits the value, so the value also records the Task that it belongs to. It also records when the
/// hook has returned, because a later Task may have the same identity.
final class HookCall: Sendable {
  @TaskLocal private static var current: HookCall?

  private let task: Int?
  private let hasEnded = Atomic<Bool>(false)

  private init(in task: Int?) { self.task = task }

  /// Calls the hook on this thread, inside this call. Does nothing if a hook is being called by the same thread or
  /// Task.
  static func call<Report>(_ hook: (Report) -> Void, with report: Report) {
    let task = runningTask
    // Relaxed, because the comparison matters only if the same thread has written it, or a Task whose memory, and so
    // whose identity, a later Task has.
    if let current, current.task == task, !current.hasEnded.load(ordering: .relaxed) { return }
    let call = HookCall(in: task)
    $current.withValue(call) { hook(report) }
    call.hasEnded.store(true, ordering: .relaxed)
  }
}

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

  /// Whether a promise was ever enrolled. Not part of `activity`, because an enrollment outlives the diagnostics
  /// that made it, and a settlement must find it.
  private static let everEnrolled = Atomic<Bool>(false)

  static var hasEnrollments: Bool {
    // Relaxed, because a thread that settles a promise has got the promise from the thread that made it.
    get { everEnrolled.load(ordering: .relaxed) }
    set { everEnrolled.store(newValue, ordering: .relaxed) }
  }

  static var tracing: Bool {
    get { activity.load(ordering: .relaxed) & tracingBit != 0 }
    set { set(tracingBit, newValue) }
  }

  static var carriesContext: Bool {
    get { activity.load(ordering: .relaxed) & carryingBit != 0 }
    set { set(carryingBit, newValue) }
  }

  package static var isRegistering: Bool {
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
