public import PromiseCore

/// Runs actions after delays. Timeouts, delays and the pauses between retries use it.
///
/// ``TimerContext/dispatch`` uses the clock of the system. A test may use a clock of its own, whose time stands still
/// until the test advances it.
public protocol TimerContext: AnyObject, Sendable {
  /// Runs an action once after a delay, unless it is cancelled before that.
  ///
  /// The action never runs inside this call. A delay of zero or less means as soon as possible. Actions start in the
  /// order in which they are due. Actions that are due at the same time start in the order in which they were
  /// scheduled. An action should be short: for example, it settles a promise, whose handlers have contexts of their
  /// own. A long action may delay the others, or overlap with them.
  ///
  /// A delay may be as long as the longest `Duration`. Time counts while the system is awake.
  ///
  /// It may be called on any thread, and from an action.
  ///
  /// - Parameters:
  ///   - delay: the shortest time to wait. The system decides how much longer the wait takes.
  ///   - site: the place in the source that requests the timer. A test names it in the report about a timer that is
  ///     left over.
  ///   - action: the action. It is released when it has run, or when the timer was cancelled (rule 4.9).
  /// - Returns: a handle that cancels the action. It need not be retained: the action runs even if the handle is
  ///   released.
  @discardableResult
  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer

  /// The time that has passed on this clock since a fixed moment. The difference of two such times is the time between
  /// them.
  var elapsed: Duration { get }
}

extension TimerContext {
  /// Runs an action once after a delay, with the place of this call as its site. See ``schedule(after:from:_:)``.
  @discardableResult
  public func schedule(
    after delay: Duration, fileID: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    schedule(after: delay, from: CreationSite(fileID: fileID, line: line), action)
  }
}
