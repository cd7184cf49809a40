import PromiseContexts
import TestSupport

/// Timers that are due when a test calls `ring()`.
final class HandRungTimers: TimerContext {
  private final class Timer: ScheduledTimer {
    private let action: Locked<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Locked(action) }

    func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
    func cancel() -> Bool { take() != nil }
  }

  private let timers = Log<Timer>()

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let timer = Timer(action)
    timers.append(timer)
    return timer
  }

  var elapsed: Duration { .zero }

  /// Runs the actions of all timers that were not cancelled and have not run.
  func ring() {
    for timer in timers.entries { timer.take()?() }
  }
}
