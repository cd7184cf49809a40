import TestSupport
import Testing

/// Tests long-running actions on one thread. An action lets the alarm ring while it runs, as if the action blocked.
extension TimerQueueTests {
  /// Schedules an action during which the alarm rings at the given times.
  private func schedule(_ name: String, at deadline: UInt64, ringingAt times: UInt64...) {
    timers.schedule(at: deadline) { [timers, log] in
      log.append("\(name) begins")
      for time in times {
        timers.alarmFired(at: time)
        log.append("\(name) after \(time)")
      }
    }
  }

  @Test("If an action is still running when the alarm has rung twice, the other actions run beside it, in order")
  func blocked() {
    schedule("a", at: 10, ringingAt: 15, 20)
    schedule("b", at: 10)
    schedule("d", at: 20)
    schedule("c", at: 12)
    schedule("e", at: 21)
    timers.alarmFired(at: 10)
    #expect(log.entries == ["a begins", "a after 15", "b", "c", "d", "a after 20"])
    // The abandoned round has run no further action, and the remaining timer is not forgotten.
    #expect(timers.count == 1)
    timers.alarmFired(at: 25)
    #expect(log.entries.last == "e")
  }

  @Test("A round that waits for a thread is not abandoned, and an abandoned round runs no further action")
  func abandoned() {
    // Rounds that wait for a thread. The test runs them.
    let rounds = Locked<[@Sendable () -> Void]>([])
    func runFirst() { rounds.withLock { $0.isEmpty ? nil : $0.removeFirst() }?() }
    let timers = TimerQueue(roundCheckInterval: 5) { round in
      rounds.withLock { $0.append(round) }
    } setAlarm: { _ in
    }
    timers.schedule(at: 10) { [log] in log.append("first") }
    timers.schedule(at: 10) { [log] in
      for time in [55, 60] as [UInt64] { timers.alarmFired(at: time) }
      log.append("a")
    }
    timers.schedule(at: 10) { [log] in log.append("b") }
    for time in stride(from: 10 as UInt64, to: 50, by: 5) { timers.alarmFired(at: time) }
    #expect(rounds.withLock { $0.count } == 1)
    #expect(log.entries.isEmpty)
    runFirst()
    #expect(rounds.withLock { $0.count } == 1)
    #expect(log.entries == ["first", "a"])
    runFirst()
    #expect(log.entries == ["first", "a", "b"])
  }

  @Test("Actions that are due while an action blocks run when the alarm rings for them")
  func dueLater() {
    schedule("a", at: 10, ringingAt: 15, 20, 40)
    schedule("b", at: 40)
    timers.alarmFired(at: 10)
    #expect(log.entries == ["a begins", "a after 15", "a after 20", "b", "a after 40"])
    // When the round was abandoned, the alarm was set for the other timer.
    #expect(alarms.entries == [10, 15, 20, 40, 45])
  }

  @Test("Quick actions run one by one in one round, however long they take together")
  func quick() {
    schedule("a", at: 10, ringingAt: 15)
    schedule("b", at: 10, ringingAt: 20)
    schedule("c", at: 10, ringingAt: 25)
    timers.alarmFired(at: 10)
    #expect(log.entries == ["a begins", "a after 15", "b begins", "b after 20", "c begins", "c after 25"])
  }
}
