import PromiseCombinators
import TestSupport

/// Timers that are already ringing when a caller cancels them, so each cancellation comes too late.
final class TardyTimers: TimerContext {
  private final class Timer: ScheduledTimer { func cancel() -> Bool { false } }

  private let actions = Log<@Sendable () -> Void>()

  var elapsed: Duration { .zero }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer { actions.append(action, returning: Timer()) }

  func ring() { for action in actions.entries { action() } }
}
