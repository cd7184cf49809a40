public import PromiseCore

/// A clock that runs something later, once: what timeouts, delays and pauses between retries are made of.
///
/// ``TimerContext/dispatch`` is the system's. A test may have one of its own, whose time stands still until it is moved.
public protocol TimerContext: AnyObject, Sendable {
  /// Runs an action once, when the time has passed, unless it is cancelled before that.
  ///
  /// The action never runs inside this call, not even after a duration of zero or less, which means as soon as
  /// possible. Actions start in the order in which they are due; those that are due at the same time, in the order in
  /// which they were scheduled. An action ought to be short, for example settle a promise, whose handlers have contexts of
  /// their own: one that takes long may delay the others, or overlap with them.
  ///
  /// A duration may be as long as `Duration` can say. It counts while the system is awake.
  ///
  /// May be called from any thread, also from an action.
  ///
  /// - Parameters:
  ///   - delay: how long to wait. Never shorter than that; how much longer is up to the system.
  ///   - site: where in the source it was asked for. A test says so of a timer that is left over.
  ///   - action: released when it has run, or when the timer has been cancelled (rule 4.9).
  /// - Returns: what cancels it. It need not be kept: the action runs even if nobody holds its timer.
  @discardableResult
  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer

  /// The time that has passed on this clock since some moment that stays the same: how long ago something was is the
  /// difference of two of these.
  var elapsed: Duration { get }
}

extension TimerContext {
  /// As ``schedule(after:from:_:)``, from the place of this call.
  @discardableResult
  public func schedule(
    after delay: Duration, fileID: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    schedule(after: delay, from: CreationSite(fileID: fileID, line: line), action)
  }
}
