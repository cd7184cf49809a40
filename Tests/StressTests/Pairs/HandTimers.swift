import PromiseContexts
import Synchronization

/// Timers that a test rings by hand, each time some seconds have passed. Durations are whole seconds.
final class HandTimers: TimerContext {
  private let queue = TimerQueue { _ in }
  private let seconds: Atomic<Int64>

  /// - Parameter start: The number of seconds at the beginning. It leaves room for jumps backwards.
  init(startingAt start: Int64 = 0) { seconds = Atomic(start) }

  var elapsed: Duration { .seconds(seconds.load(ordering: .relaxed)) }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let deadline = seconds.load(ordering: .relaxed) + max(delay.components.seconds, 1)
    return queue.schedule(at: UInt64(deadline), from: site, action)
  }

  /// Lets some seconds pass, or jumps back if the number is negative.
  func ring(after count: Int64 = 1) {
    queue.alarmFired(at: UInt64(seconds.add(count, ordering: .relaxed).newValue))
  }

  /// The number of timers that wait.
  var count: Int { queue.count }
}
