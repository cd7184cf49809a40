/// Reports mistakes that a program would not notice otherwise, which are unhandled rejections and second settlements.
///
/// Without a hook, debug builds print unhandled rejections to standard error (``printsUnhandledRejections``), and
/// release builds print nothing. A program sets hooks, for example in its `main`:
///
/// ```swift
/// Diagnostics.onUnhandledRejection { print($0) }
/// Diagnostics.onSecondSettlement { if !$0.wasCancelled { print($0) } }
/// ```
///
/// The hooks belong to the program, so a library should not set them. Code that sets one nevertheless should call the
/// previous hook, which the setter returns. Tests that run in parallel should use
/// ``scoped(unhandledRejection:secondSettlement:_:)-1ukok``, which reports only on the promises made inside it.
///
/// ## Where hooks run
/// A hook runs on the thread that makes the report, inside the call that causes it. For an unhandled rejection, that is
/// the release of the last reference to the promise. For a second settlement, it is the call that came too late. No
/// lock is held, so a hook may use promises and replace hooks. A hook should be short. Mistakes that the hook itself
/// makes on the same thread or Task before it returns are not reported. Otherwise a hook that drops a rejected promise
/// would be called endlessly.
public enum Diagnostics {
  private static let unhandledRejection = HookSlot<@Sendable (UnhandledRejection) -> Void>()
  private static let secondSettlement = HookSlot<@Sendable (SecondSettlement) -> Void>()

  /// Sets the hook for unhandled rejections. It is called once for each, when the last reference to the promise is
  /// released (rule 7.1). `nil` removes the hook.
  ///
  /// A rejection is handled when a handler of `catch`, `recover`, `rescue` or a link with two handlers has run for it,
  /// or one of `onRejected` or `onSettled`. It is also handled when a Task has received it from `value`, or when it was
  /// read from `state`, `result` or `error`. All other links and adopters pass the duty on to the promise that they
  /// derive. `catch` passes a rejection on as handled, to all promises further below. `always` does not handle it. A
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
