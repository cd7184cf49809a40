/// What a program is told of promises that went wrong unnoticed: rejections that nobody looked at, and settlements that
/// came too late.
///
/// Without a hook, debug builds print unhandled rejections to standard error (``printsUnhandledRejections``), and release builds print
/// nothing. A program sets hooks in its `main`, for instance:
///
/// ```swift
/// Diagnostics.onUnhandledRejection { print($0) }
/// Diagnostics.onSecondSettlement { if !$0.wasCancelled { print($0) } }
/// ```
///
/// The hooks belong to the program: a library does not set them. Whoever has to, calls the one that was there before,
/// which is what setting a hook returns. Tests, which run side by side, do not set them either:
/// ``scoped(unhandledRejection:secondSettlement:_:)-1ukok`` hears of the promises made inside it, and of no others.
///
/// ## Where hooks run
/// Inside the call that found out, in its thread: a hook for unhandled rejections where the last reference to the promise goes,
/// one for second settlements in the call that lost. No lock is held: a hook may use promises and replace hooks. It ought to be
/// short. What a hook itself does wrong, in the same thread or Task and before it returns, is not reported: otherwise a hook
/// that drops a rejected promise would be called for ever.
public enum Diagnostics {
  private static let unhandledRejection = HookSlot<@Sendable (UnhandledRejection) -> Void>()
  private static let secondSettlement = HookSlot<@Sendable (SecondSettlement) -> Void>()

  /// Sets what hears of each rejection that nobody looked at, once, when the last reference to its promise goes (rule 7.1;
  /// reference row N6). `nil` removes it.
  ///
  /// *Looked at* means: `catch`, `recover`, `rescue` or the two-handler forms have run for it, or `onRejected` or
  /// `onSettled`; a Task has got it from `value`; or somebody has seen it in `state` or `result`. All other links and
  /// adopters hand the duty on to their result. `catch` passes a rejection on as looked at, also to what is derived
  /// further below; `always` does not. A cancelled promise is never reported.
  ///
  /// While no hook is set, ``printsUnhandledRejections`` decides whether rejections are printed.
  ///
  /// May be called at any time, from any thread; applies to promises that go from then on.
  ///
  /// - Returns: the hook that was set before.
  /// - Complexity: O(1).
  @discardableResult
  public static func onUnhandledRejection(
    _ hook: (@Sendable (UnhandledRejection) -> Void)?
  ) -> (@Sendable (UnhandledRejection) -> Void)? { unhandledRejection.replace(by: hook) }

  /// Sets what hears of each `fulfill`, `reject`, `settle`, `follow` or `resolve` that came too late: the promise was settled
  /// before, and stays as it is (rule 1.3). `nil` removes it.
  ///
  /// Owners that go on after their promise was cancelled are reported as well; ``SecondSettlement/wasCancelled`` tells them.
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
  /// Who is told of a rejection of a promise that was made in the scope.
  static func unhandledRejectionHook(in scope: DiagnosticsScope?) -> (@Sendable (UnhandledRejection) -> Void)? {
    scope?.unhandledRejection ?? unhandledRejection.current ?? printingHook
  }

  /// Who is told of a late settlement of a promise that was made in the scope.
  static func secondSettlementHook(in scope: DiagnosticsScope?) -> (@Sendable (SecondSettlement) -> Void)? {
    scope?.secondSettlement ?? secondSettlement.current
  }
}
