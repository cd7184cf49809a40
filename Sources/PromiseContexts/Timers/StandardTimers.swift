public import PromiseCore

/// The timers of code that names no timers. See ``TimerContext/standard``.
public final class StandardTimers: TimerContext {
  fileprivate static let shared = StandardTimers()

  private init() {}

  /// Runs the action after the delay, with the timers that are the standard for the calling code.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    Diagnostics.defaultTimers.schedule(after: delay, from: site, action)
  }

  /// The time of the timers that are the standard for the calling code.
  public var elapsed: Duration { Diagnostics.defaultTimers.elapsed }
}

extension TimerContext where Self == StandardTimers {
  /// The timers of the system (``dispatch``), or those of the `TestWorld` in which the calling code runs. They are the
  /// default of all operators with timers.
  public static var standard: StandardTimers { .shared }
}

extension TimerContext {
  /// These timers, or if they are ``standard``, the timers that `standard` stands for in the calling code.
  package var effective: any TimerContext { self is StandardTimers ? Diagnostics.defaultTimers : self }
}
