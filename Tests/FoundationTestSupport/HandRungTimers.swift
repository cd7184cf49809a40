package import PromiseTesting
import TestSupport

/// Timers that are due when a test moves the time beyond them.
package final class HandRungTimers: TimerContext {
  private final class Timer: ScheduledTimer {
    let deadline: Duration
    private let action: Locked<(@Sendable () -> Void)?>

    init(at deadline: Duration, _ action: @escaping @Sendable () -> Void) {
      self.deadline = deadline
      self.action = Locked(action)
    }

    func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
    func cancel() -> Bool { take() != nil }
  }

  private let timers = Log<Timer>()
  private let time = Locked(Duration.zero)

  package init() {}

  package func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let timer = Timer(at: elapsed + delay, action)
    timers.append(timer)
    return timer
  }

  package var elapsed: Duration { time.withLock { $0 } }

  /// Moves the time, and then runs the actions that are due.
  package func advance(by duration: Duration) {
    let now = time.withLock { time in
      time += duration
      return time
    }
    for timer in timers.entries where timer.deadline <= now { timer.take()?() }
  }
}
