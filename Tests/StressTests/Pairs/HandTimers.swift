import PromiseContexts
import Synchronization

/// Timers that a test rings by hand, each time a second has passed. Durations are whole seconds.
final class HandTimers: TimerContext {
  private let queue = TimerQueue { _ in }
  private let seconds = Atomic<UInt64>(0)

  var elapsed: Duration { .seconds(Int64(seconds.load(ordering: .relaxed))) }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    queue.schedule(
      at: seconds.load(ordering: .relaxed) + UInt64(max(delay.components.seconds, 1)), from: site, action)
  }

  /// Lets a second pass.
  func ring() { queue.alarmFired(at: seconds.add(1, ordering: .relaxed).newValue) }

  /// The number of timers that wait.
  var count: Int { queue.count }
}
