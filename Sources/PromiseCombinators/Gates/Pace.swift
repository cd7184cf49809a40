import PromiseContexts

/// How many may start in what time. It reads no clock: time is an argument.
struct Pace {
  private let count: Int
  private let period: Duration
  /// When the last ones started, no longer ago than the period.
  private var starts = Ring<Duration>()
  /// Those that were let in, and have not started.
  private var countAdmitted = 0

  /// When the next may be let in.
  enum Room {
    case now
    case after(Duration)
    /// When one of those that were let in has started, or has given up.
    case later
  }

  init(_ count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  mutating func room(at now: Duration) -> Room {
    while starts.count > 0, starts[0] + period <= now { _ = starts.popFirst() }
    if starts.count + countAdmitted < count { return .now }
    return starts.isEmpty ? .later : .after(starts[0] + period - now)
  }

  mutating func admit() { countAdmitted += 1 }

  /// One of those that were let in starts.
  mutating func start(at now: Duration) {
    countAdmitted -= 1
    // Another thread may have looked at the clock later and be here first.
    starts.append(starts.isEmpty ? now : max(now, starts[starts.count - 1]))
  }

  /// One of those that were let in will not start.
  mutating func giveUp() { countAdmitted -= 1 }
}
