public import PromiseCore

/// The timers of whoever names none: see ``TimerContext/standard``.
public final class StandardTimers: TimerContext {
  fileprivate static let shared = StandardTimers()

  private init() {}

  /// Runs the action when the time has passed, by the timers that are the standard where this is called.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    Diagnostics.defaultTimers.schedule(after: delay, from: site, action)
  }

  /// The time of the timers that are the standard where this is called.
  public var elapsed: Duration { Diagnostics.defaultTimers.elapsed }
}

extension TimerContext where Self == StandardTimers {
  /// The system's timers (``dispatch``); in code that a test runs in a `TestWorld`, that world's. The default wherever
  /// something is to happen later.
  public static var standard: StandardTimers { .shared }
}

extension TimerContext {
  /// These timers, for later: what `standard` means where this is called.
  package var here: any TimerContext { self is StandardTimers ? Diagnostics.defaultTimers : self }
}
