import PromiseContexts
import TestSupport

/// Timers whose actions run when the test runs them.
final class ManualTimers: TimerContext {
  /// A timer whose action may have begun on a thread that is then descheduled.
  final class Timer: ScheduledTimer {
    let delay: Duration
    private let action: Locked<(@Sendable () -> Void)?>
    private let hasBegun = Locked(false)

    init(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
      self.delay = delay
      self.action = Locked(action)
    }

    /// Whether the action would run if it was due.
    var isArmed: Bool { action.withLock { $0 != nil } }

    /// Begins the action. From now on it cannot be cancelled.
    func begin() { hasBegun.withLock { $0 = true } }

    /// Runs the action, unless it was cancelled.
    func run() { action.withLock { $0.take() }?() }

    func cancel() -> Bool {
      if hasBegun.withLock(\.self) { return false }
      return action.withLock { $0.take() } != nil
    }
  }

  private let now = Locked(Duration.zero)
  private let all = Log<Timer>()
  private let interruption = Locked<(@Sendable () -> Void)?>(nil)
  private let readings = Locked<[@Sendable () -> Void]>([])

  var elapsed: Duration {
    let interruption = readings.withLock { $0.popLast() }
    interruption?()
    return now.withLock(\.self)
  }

  /// The timers that are set.
  var armed: [Timer] { all.entries.filter(\.isArmed) }

  func advance(by duration: Duration) { now.withLock { $0 += duration } }

  /// Calls the closure inside the next call of `schedule`.
  func interruptNext(_ body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }

  /// Calls the closure inside the reading of the clock after `count` others.
  func interruptReading(after count: Int, _ body: @escaping @Sendable () -> Void) {
    readings.withLock { $0 = [body] + Array(repeating: {}, count: count) }
  }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let timer = Timer(delay, action)
    all.append(timer)
    interruption.withLock { $0.take() }?()
    return timer
  }
}
