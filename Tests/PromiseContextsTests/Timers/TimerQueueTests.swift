import TestSupport
import Testing

/// Tests the queue without a clock. The test supplies the time.
@Suite("The queue of timers", .leavingNothing) struct TimerQueueTests {
  let log = Log<String>()
  let alarms = Log<UInt64>()
  let timers: TimerQueue

  init() {
    timers = TimerQueue(roundCheckInterval: 5) { [alarms] in alarms.append($0) }
  }

  @discardableResult
  func schedule(_ name: String, at deadline: UInt64) -> TimerEntry {
    timers.schedule(at: deadline) { [log] in log.append(name) }
  }

  @Test("An alarm that is lost is set again by the next timer that is set a second later")
  func lostAlarm() {
    let alarms = Log<UInt64>()
    let queue = TimerQueue { alarms.append($0) }
    let second: UInt64 = 1_000_000_000
    queue.schedule(at: 10, now: 0) {}
    queue.schedule(at: 2 * second, now: second) {}
    #expect(alarms.entries == [10])
    queue.schedule(at: 2 * second, now: second + 11) {}
    queue.schedule(at: 3 * second, now: second + 12) {}
    #expect(alarms.entries == [10, 10])
    queue.schedule(at: 3 * second, now: 2 * second + 12) {}
    #expect(alarms.entries == [10, 10, 10])
  }

  @Test("Due actions run once, in order of deadline and then of scheduling, and the others wait")
  func order() {
    for (name, deadline) in [("c", 20), ("a", 10), ("d", 20), ("b", 10), ("e", 30)] as [(String, UInt64)] {
      schedule(name, at: deadline)
    }
    timers.alarmFired(at: 9)
    #expect(log.entries.isEmpty)
    timers.alarmFired(at: 20)
    timers.alarmFired(at: 20)
    #expect(log.entries == ["a", "b", "c", "d"])
    timers.alarmFired(at: .max)
    #expect(log.entries == ["a", "b", "c", "d", "e"])
    #expect(timers.count == 0)
  }

  @Test("cancel() prevents the action, removes the timer and releases the captures of the action", .rule("4.9"))
  func cancel() {
    let census = Tracked.Census()
    let timer = timers.schedule(at: 10) { [log, tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { log.append("ran") }
    }
    #expect(census.living == 1)
    #expect(timers.count == 1)
    #expect(timer.cancel())
    #expect(census.living == 0)
    #expect(timers.count == 0)
    #expect(!timer.cancel())
    timers.alarmFired(at: .max)
    #expect(log.entries.isEmpty)
  }

  @Test("cancel() fails while the action runs and afterwards, but not for another timer that is due at the same time")
  func tooLate() {
    let census = Tracked.Census()
    let answers = Log<Bool>()
    let held = Locked<TimerEntry?>(nil)
    let timer = timers.schedule(at: 10) { [tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { answers.append(held.withLock { $0 }?.cancel() ?? true) }
    }
    held.withLock { $0 = timer }
    timers.alarmFired(at: 10)
    #expect(answers.entries == [false])
    #expect(census.living == 0, "the captures are released with the action")
    #expect(!timer.cancel())
    timers.schedule(at: 20) { answers.append(held.withLock { $0 }?.cancel() ?? false) }
    let second = schedule("second", at: 20)
    held.withLock { $0 = second }
    timers.alarmFired(at: 20)
    #expect(answers.entries == [false, true])
    #expect(log.entries.isEmpty)
    held.withLock { $0 = nil }
  }

  @Test("A timer that no client retains runs, and then the timer and its queue are released")
  func unheld() {
    weak var entry: TimerEntry?
    weak var queue: TimerQueue?
    do {
      let timers = TimerQueue { _ in }
      queue = timers
      entry = timers.schedule(at: 10) { [log] in log.append("ran") }
    }
    #expect(entry != nil)
    #expect(queue != nil)
    queue?.alarmFired(at: 10)
    #expect(log.entries == ["ran"])
    #expect(entry == nil)
    #expect(queue == nil)
  }

  @Test("The alarm is set only for an earlier timer and after ringing, and cancelling leaves it unchanged")
  func alarm() {
    let timer = schedule("a", at: 20)
    schedule("b", at: 30)
    schedule("c", at: 20)
    #expect(alarms.entries == [20])
    let early = schedule("d", at: 10)
    #expect(alarms.entries == [20, 10])
    early.cancel()
    timer.cancel()
    schedule("e", at: 15)
    #expect(alarms.entries == [20, 10])
    // The alarm rings for the cancelled timer.
    timers.alarmFired(at: 10)
    #expect(log.entries.isEmpty)
    #expect(alarms.entries == [20, 10, 15])
    timers.alarmFired(at: 20)
    #expect(log.entries == ["e", "c"])
    // This alarm checks the actions of the round. When it rings and they have ended, the alarm is set for the remaining
    // timers.
    #expect(alarms.entries == [20, 10, 15, 25])
    timers.alarmFired(at: 25)
    #expect(alarms.entries == [20, 10, 15, 25, 30])
    // Runs the waiting timers, because a waiting timer and its queue retain each other.
    timers.alarmFired(at: .max)
  }

  @Test("The alarm is idle without timers, and the next timer sets it again")
  func idle() {
    schedule("a", at: 10).cancel()
    timers.alarmFired(at: 10)
    #expect(alarms.entries == [10])
    schedule("b", at: 10)
    #expect(alarms.entries == [10, 10])
    timers.alarmFired(at: 10)
    #expect(log.entries == ["b"])
    timers.alarmFired(at: 15)
    #expect(alarms.entries == [10, 10, 15])
  }

  @Test("New timers leave the alarm alone while actions run, and then the alarm is set once for all of them")
  func duringRing() {
    timers.schedule(at: 10) { [timers, log, alarms] in
      for deadline in [50, 40, 30, 11] as [UInt64] { timers.schedule(at: deadline) { log.append("\(deadline)") } }
      log.append("alarms: \(alarms.entries)")
    }
    timers.alarmFired(at: 10)
    // After the round, the alarm is set for the timer that is due before the check of the round.
    #expect(log.entries == ["alarms: [10, 15]"])
    #expect(alarms.entries == [10, 15, 11])
    timers.alarmFired(at: 11)
    timers.alarmFired(at: 16)
    #expect(alarms.entries == [10, 15, 11, 16, 30])
    timers.alarmFired(at: 50)
    #expect(log.entries == ["alarms: [10, 15]", "11", "30", "40", "50"])
    #expect(timers.count == 0)
  }

  @Test("An alarm requested while another is being set is set afterwards by the same thread")
  func whileSetting() {
    let depth = Locked(0)
    let nested = Locked<TimerQueue?>(nil)
    let timers = TimerQueue { [alarms] time in
      #expect(depth.increment() == 1)
      alarms.append(time)
      // These calls stand for calls of another thread. The first requests an earlier alarm. The others let the alarm
      // ring before the call that sets it has returned, and request the same time again.
      if time == 30 { nested.withLock { $0 }?.schedule(at: 20) {} }
      if time == 20, alarms.entries.count == 2 {
        nested.withLock { $0 }?.alarmFired(at: 20)
        nested.withLock { $0 }?.schedule(at: 20) {}
      }
      depth.withLock { $0 -= 1 }
    }
    nested.withLock { $0 = timers }
    timers.schedule(at: 30) {}
    // The alarm is set for 20 twice, because the first alarm had rung when a second was requested for the same time.
    #expect(alarms.entries == [30, 20, 20])
    nested.withLock { $0 = nil }
    timers.alarmFired(at: .max)
  }

  /// Uses the timers when it is deallocated. Under the lock of the timers this would hang.
  private final class Using: Sendable {
    let timers: TimerQueue
    let log: Log<String>
    init(_ timers: TimerQueue, _ log: Log<String>) {
      self.timers = timers
      self.log = log
    }
    deinit { log.append("gone, \(timers.count) left") }
  }

  @Test("Actions run, and their captures are released, outside the lock", .rule("6.5"))
  func outsideLock() {
    let timer = timers.schedule(at: 10) { [using = Using(timers, log)] in withExtendedLifetime(using) {} }
    timer.cancel()
    timers.schedule(at: 10) { [using = Using(timers, log)] in using.timers.schedule(at: 30) {}.cancel() }
    timers.schedule(at: 20) {}
    timers.alarmFired(at: 10)
    #expect(log.entries == ["gone, 0 left", "gone, 1 left"])
    timers.alarmFired(at: .max)
  }
}
