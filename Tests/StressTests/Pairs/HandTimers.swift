import PromiseContexts

/// Timers that ring when they are told to.
final class HandTimers: TimerContext {
  private let queue = TimerQueue { _ in }

  var elapsed: Duration { .zero }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    queue.schedule(at: 10, from: site, action)
  }

  /// The time of all that wait has come.
  func ring() { queue.ring(at: 10) }

  /// How many wait.
  var count: Int { queue.count }
}
