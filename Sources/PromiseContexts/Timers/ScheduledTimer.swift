/// A handle that cancels an action of a ``TimerContext``.
public protocol ScheduledTimer: AnyObject, Sendable {
  /// Prevents the action, if it has not started. In that case, the action and everything that it captured have been
  /// released when the call returns (rule 4.9).
  ///
  /// It may be called at any time, on any thread, any number of times, and from the action itself. If a timer is
  /// cancelled while it becomes due, either the action runs or the call returns `true`, and never both.
  ///
  /// - Returns: `true` if this call prevented the action; `false` if the action has started or was cancelled before.
  @discardableResult
  func cancel() -> Bool
}
