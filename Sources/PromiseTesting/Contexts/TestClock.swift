public import PromiseContexts
public import PromiseCore

/// The time of a ``TestWorld``, as timers and as a Swift `Clock`. It stands still until the world moves it.
///
/// Code in the world that names no timers uses these. Code that takes an `any Clock<Duration>` can be given this one.
public final class TestClock: TimerContext, Clock {
  /// A point in the world's time.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the world began.
    public var offset: Duration

    /// Creates the instant at this duration after the world began.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the instant that is later by a duration, or the last or first instant if that would be beyond it.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset.addingSaturating(duration)) }

    /// Returns the duration from this instant to the other, which is negative if the other is earlier. If the
    /// difference is too large, it is the greatest or least duration.
    public func duration(to other: Instant) -> Duration { other.offset.subtractingSaturating(offset) }

    /// Whether the first instant is earlier than the second.
    public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }

    /// The time since the world began, as text.
    public var description: String { "\(offset) since the world began" }
  }

  private let scheduler: Scheduler

  init(on scheduler: Scheduler) { self.scheduler = scheduler }

  /// The world's time.
  public var now: Instant { Instant(offset: .nanoseconds(Int64(scheduler.withQueue(\.time)))) }

  /// The time since the world began.
  public var elapsed: Duration { now.offset }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Runs the action when the world's time has reached the deadline, in the thread that moves it. Actions run in the
  /// order of their deadlines. Those of one deadline run in the order in which they were scheduled. Fractions of a
  /// nanosecond are rounded up.
  ///
  /// - Complexity: O(log n) of the timers that wait.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    scheduler.addTimer(from: site, action) { delay.deadline(from: $0) }
  }

  /// Suspends until the world's time has reached the deadline.
  ///
  /// - Throws: `CancellationError` as soon as the Task is cancelled; ``/PromiseCore/PromiseError/broken(createdAt:)``
  ///   if the world ends.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let (woken, timer) = wakeUp(at: deadline)
    defer {
      timer.cancel()
      // If the sleep was cancelled, the timer has released the owner. Reading the result marks that rejection as
      // handled (rule 7.1).
      _ = woken.result
    }
    try await woken.value
  }

  /// Returns a promise that is fulfilled at a point in time, and its timer. The promise has the line of the Task that
  /// sleeps, if that is known. This is a function of its own, so that only the timer retains the owner.
  private func wakeUp(at deadline: Instant) -> (woken: Promise<Void>, timer: any ScheduledTimer) {
    let site = if case .site(let site)? = scheduler.runningStepName { site } else { CreationSite() }
    let owner = Deferred<Void>(at: site)
    // The Task that goes on is named by it.
    _ = owner.promise.labeled("sleep until \(deadline.offset)")
    let timer = scheduler.addTimer(from: site, { owner.fulfill() }, at: { max($0, deadline.offset.deadline(from: 0)) })
    return (owner.promise, timer)
  }
}
