public import PromiseContexts
public import PromiseCore

/// The time of a ``TestWorld``, which stands still until the world is told to move it: as timers, and as a clock of Swift's.
///
/// Timers that nobody names are these for code that runs in the world. Code that takes an `any Clock<Duration>` can be
/// given this one.
public final class TestClock: TimerContext, Clock {
  /// A time since the world began.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// Since the world began.
    public var offset: Duration

    /// So long after the world began.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns the instant that is later by a duration, or the last or first instant if that would be beyond it.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset.addingSaturating(duration)) }

    /// Returns how much later the other instant is: negative if it is earlier, and the greatest or least duration if the
    /// difference is beyond it.
    public func duration(to other: Instant) -> Duration { other.offset.subtractingSaturating(offset) }

    /// Whether it is earlier.
    public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }

    /// How long after the world began it is.
    public var description: String { "\(offset) since the world began" }
  }

  private let agenda: Agenda

  init(on agenda: Agenda) { self.agenda = agenda }

  /// What time it is in the world.
  public var now: Instant { Instant(offset: .nanoseconds(Int64(agenda.withPlan(\.time)))) }

  /// The time since the world began.
  public var elapsed: Duration { now.offset }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Runs the action when the world's time has come to that, in the thread that moves it: in the order of deadlines,
  /// those of one deadline in the order in which they were scheduled. Fractions of a nanosecond count as a whole one.
  ///
  /// - Complexity: O(log n) of the timers that wait.
  @discardableResult
  public func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    agenda.addTimer(after: delay, from: site, action)
  }

  /// Returns when the world's time has come to the deadline.
  ///
  /// - Throws: `CancellationError` as soon as the Task is cancelled; ``/PromiseCore/PromiseError/broken(createdAt:)`` if
  ///   the world goes.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let (woken, timer) = alarm(after: now.duration(to: deadline))
    defer {
      timer.cancel()
      // Cancelled, it has lost its owner: that is no news to anybody (rule 7.1).
      _ = woken.result
    }
    try await woken.value
  }

  /// A function of its own: the owner of the promise is kept by the timer alone.
  private func alarm(after delay: Duration) -> (woken: Promise<Void>, timer: any ScheduledTimer) {
    let owner = Deferred<Void>()
    return (owner.promise, schedule(after: delay) { owner.fulfill() })
  }
}
