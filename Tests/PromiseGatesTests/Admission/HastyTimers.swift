import Dispatch
import PromiseContexts
import TestSupport

/// Timers that ring on another thread before the call that sets them returns. Each timer advances the clock by its
/// delay.
final class HastyTimers: TimerContext {
  private final class Timer: ScheduledTimer { func cancel() -> Bool { false } }

  private let now = Locked(Duration.zero)

  var elapsed: Duration { now.withLock { $0 } }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    now.withLock { $0 += delay }
    let rung = Gate()
    DispatchQueue(label: "timers").async {
      action()
      rung.open()
    }
    rung.wait("timer")
    return Timer()
  }
}
