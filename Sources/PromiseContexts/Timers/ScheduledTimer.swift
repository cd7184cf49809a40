/// An action that a ``TimerContext`` will run, has run, or would have run had it not been cancelled.
public protocol ScheduledTimer: AnyObject, Sendable {
  /// Prevents the action, if it has not started: then, when the call returns, the action and all that it captured have
  /// been released (rule 4.9).
  ///
  /// May be called at any time, from any thread, also from the action itself, and again. Of a timer that is cancelled while it
  /// becomes due either the action runs or the call returns `true`, never both and never neither.
  ///
  /// - Returns: `true` if this call prevented the action; `false` if it has started, or had been cancelled before.
  @discardableResult
  func cancel() -> Bool
}
