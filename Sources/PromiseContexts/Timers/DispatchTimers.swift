import Dispatch
public import PromiseCore

/// The system's timers: see ``TimerContext/dispatch``.
///
/// One source of Dispatch serves all of them, on a serial queue that is nobody else's: to make a timer and to cancel it is an
/// entry in a heap.
public final class DispatchTimers: TimerContext {
  static let shared = DispatchTimers()

  private let timers: TimerQueue

  /// What rings. The timers' queue keeps it, by what sets it.
  private struct Alarm: @unchecked Sendable {
    // `@unchecked`: Dispatch lets any thread set a source, but does not say so in its types everywhere.
    let source: any DispatchSourceTimer
  }

  // Only the one above, which never goes: so neither the source nor a waiting timer has to care for the end of its timers.
  private init() {
    let queue = DispatchQueue(label: "Promises.timers", qos: .userInitiated)
    let alarm = Alarm(source: DispatchSource.makeTimerSource(queue: queue))
    let timers = TimerQueue { alarm.source.schedule(deadline: DispatchTime(uptimeNanoseconds: $0)) }
    alarm.source.setEventHandler { timers.ring(at: .uptime) }
    alarm.source.schedule(deadline: .distantFuture)
    alarm.source.activate()
    self.timers = timers
  }

  /// Runs the action on the timers' own serial queue, once, when the time has passed. See
  /// ``TimerContext/schedule(after:from:_:)``.
  ///
  /// - Complexity: O(log n) of the timers that wait; O(1) if they are all due before this one.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    timers.schedule(at: delay.deadline(from: .uptime), from: site, action)
  }

  /// The time since the system was started, as far as it was awake.
  public var elapsed: Duration { .nanoseconds(Int64(UInt64.uptime)) }
}

extension TimerContext where Self == DispatchTimers {
  /// The system's timers, on Dispatch.
  ///
  /// Actions run one after another on a serial queue of their own. Time is that of `DispatchTime`: it stands still
  /// while the system sleeps.
  public static var dispatch: DispatchTimers { .shared }
}

extension UInt64 {
  /// What the clock shows, in nanoseconds.
  fileprivate static var uptime: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
