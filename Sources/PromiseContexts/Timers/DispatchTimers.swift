import Dispatch
public import PromiseCore

/// The system's timers: see ``TimerContext/dispatch``.
///
/// One source of Dispatch serves all of them: to make a timer and to cancel it is an entry in a heap. Actions run on a thread of
/// Dispatch, one after another. If an action takes longer than some milliseconds, the others run beside it.
public final class DispatchTimers: TimerContext {
  static let shared = DispatchTimers()

  private let timers: TimerQueue

  /// What rings. The timers' queue keeps it, by what sets it.
  private struct Alarm: @unchecked Sendable {
    // `@unchecked`: Dispatch lets any thread set a source, but does not say so in its types everywhere.
    let source: any DispatchSourceTimer
  }

  /// Creates timers that are never deallocated, because their source runs for ever.
  ///
  /// - Parameter roundCheckInterval: for how many nanoseconds an action may hold up the others; at most for twice as long.
  package init(roundCheckInterval: UInt64 = 5_000_000) {
    let queue = DispatchQueue(label: "Promises.timers", qos: .userInitiated)
    let alarm = Alarm(source: DispatchSource.makeTimerSource(queue: queue))
    let timers = TimerQueue(roundCheckInterval: roundCheckInterval) { round in
      // A serial queue for each round: Dispatch gives it a thread even if actions block the threads of all global queues.
      DispatchQueue(label: "Promises.timers.round", qos: .userInitiated).async(execute: round)
    } setAlarm: {
      alarm.source.schedule(deadline: DispatchTime(uptimeNanoseconds: $0))
    }
    alarm.source.setEventHandler { timers.alarmFired(at: .uptime) }
    alarm.source.schedule(deadline: .distantFuture)
    alarm.source.activate()
    self.timers = timers
  }

  /// Runs the action once when the time has passed, on a thread of Dispatch. See ``TimerContext/schedule(after:from:_:)``.
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
  /// Actions run one after another, on a thread of Dispatch. If an action takes longer than some milliseconds, the others
  /// run beside it. Time is that of `DispatchTime`: it stands still while the system sleeps.
  public static var dispatch: DispatchTimers { .shared }
}

extension UInt64 {
  /// What the clock shows, in nanoseconds.
  fileprivate static var uptime: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
