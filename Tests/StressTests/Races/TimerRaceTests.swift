import TestSupport
import Testing

extension Stress {
  @Suite("Races: timers")
  struct TimerRaceTests {
    @Test(
      "A timer cancelled as it becomes due either runs or is prevented, never both, and leaves nothing behind",
      .rule("4.9"))
    func cancel() throws {
      try Duel.repeated { _ in
        let timers = TimerQueue { _ in }
        let census = Tracked.Census()
        let runs = Runs(census)
        let timer = timers.schedule(at: 10, runs.handler)
        return Duel {
          (hasPrevented: timer.cancel(), left: census.living)
        } second: {
          timers.alarmFired(at: 10)
        } results: { cancel, _ in
          try #require(runs.number == (cancel.hasPrevented ? 0 : 1))
          // The capture is released when `cancel` returns, and not later.
          if cancel.hasPrevented { try #require(cancel.left == 0) }
          try #require(census.living == 0 && timers.count == 0)
          return cancel.hasPrevented
        }
      }
    }

    /// An alarm clock that rings when the test calls `take(at:)`.
    private final class Clock: Sendable {
      private let time = Locked<UInt64?>(nil)

      func set(_ new: UInt64) { time.withLock { $0 = new } }

      /// Returns the time of the alarm if that time has come, and clears the alarm.
      func take(at now: UInt64) -> UInt64? {
        time.withLock { time in
          guard let due = time, due <= now else { return nil }
          time = nil
          return due
        }
      }
    }

    @Test("The alarm is set for a timer that is scheduled while the alarm rings for another timer")
    func alarm() throws {
      try Duel.repeated { round in
        let clock = Clock()
        let timers = TimerQueue { clock.set($0) }
        let ran = Log<Int>()
        // The deadline comes before, together with, or after that of the existing timer.
        let deadline = UInt64(9 + round % 3)
        timers.schedule(at: 10) { ran.append(0) }
        return Duel {
          timers.schedule(at: deadline) { ran.append(1) }
          return ran.entries.isEmpty
        } second: {
          if let now = clock.take(at: 10) { timers.alarmFired(at: now) }
        } results: { isFirst, _ in
          // The alarm fires all remaining timers, whichever side came first.
          while let now = clock.take(at: .max) { timers.alarmFired(at: max(now, 10)) }
          try #require(ran.entries.sorted() == [0, 1] && timers.count == 0)
          return isFirst
        }
      }
    }

    @Test("Exactly one of two simultaneous cancels prevents the timer")
    func twoCancels() throws {
      try Duel.repeated { _ in
        let timers = TimerQueue { _ in }
        let timer = timers.schedule(at: 10) {}
        return Duel(timer.cancel(), against: timer.cancel()) { first, second in
          try #require(first != second)
          return first
        }
      }
    }
  }
}
