import Dispatch
import PromiseCombinators
import TestSupport

/// Timers that have rung, on another thread, when the call that sets them returns. Each takes its time with it.
final class HastyTimers: TimerContext {
  private final class Timer: ScheduledTimer {
    func cancel() -> Bool { false }
  }

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
