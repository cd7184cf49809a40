import Dispatch
public import PromiseCore

/// The timers of the system. See ``TimerContext/dispatch``.
///
/// One source of Dispatch serves all timers, so creating or cancelling a timer only changes a heap. Actions run on a
/// thread of Dispatch, one after another. If an action takes longer than a few milliseconds, the others run on another
/// thread meanwhile.
public final class DispatchTimers: TimerContext {
  static let shared = DispatchTimers()

  private let timers: TimerQueue

  /// The source that fires. The closure that sets it retains it, and the timer queue retains that closure.
  private struct Alarm: @unchecked Sendable {
    // `@unchecked Sendable`, because Dispatch permits any thread to set a source. Its types do not declare that on
    // every system.
    let source: any DispatchSourceTimer
  }

  /// Creates timers that are never deallocated, because their source is never cancelled.
  ///
  /// - Parameter roundCheckInterval: how many nanoseconds an action may delay the others. The actual delay is at most
  ///   twice as long.
  package init(roundCheckInterval: UInt64 = 5_000_000) {
    let queue = DispatchQueue(label: "Promises.timers", qos: .userInitiated)
    let alarm = Alarm(source: DispatchSource.makeTimerSource(queue: queue))
    let timers = TimerQueue(roundCheckInterval: roundCheckInterval) { round in
      // Each round has a serial queue, to which Dispatch gives a thread even if actions block the threads of all global
      // queues.
      DispatchQueue(label: "Promises.timers.round", qos: .userInitiated).async(execute: round)
    } setAlarm: {
      alarm.source.schedule(deadline: DispatchTime(uptimeNanoseconds: $0))
    }
    alarm.source.setEventHandler { timers.alarmFired(at: .uptime) }
    alarm.source.schedule(deadline: .distantFuture)
    alarm.source.activate()
    self.timers = timers
  }

  /// Runs the action once after the delay, on a thread of Dispatch. See ``TimerContext/schedule(after:from:_:)``.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait; O(1) if they are all due before this one.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let now = UInt64.uptime
    return timers.schedule(at: delay.deadline(from: now), now: now, from: site, action)
  }

  /// The time for which the system has been awake since it was started.
  public var elapsed: Duration { .nanoseconds(Int64(UInt64.uptime)) }
}

extension TimerContext where Self == DispatchTimers {
  /// The timers of the system, which use Dispatch.
  ///
  /// Actions run one after another, on a thread of Dispatch. If an action takes longer than a few milliseconds, the
  /// others run on another thread meanwhile. Time is measured by `DispatchTime`, which stops while the system sleeps.
  public static var dispatch: DispatchTimers { .shared }
}

extension UInt64 {
  /// The present time of the clock, in nanoseconds.
  static var uptime: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
