package import PromiseCore

/// The timers of one clock: which wait, which are due, and when to wake up for them. It reads no clock: time is an argument.
///
/// ## Waking up
/// There is one alarm for all timers. It is set when a timer is due earlier than it would ring, and after it has rung for those
/// that are left; not when a timer is cancelled. So it may ring when nothing is due, which sets it right; and with timeouts of
/// one length, which are nearly always cancelled, it is hardly ever set.
///
/// To set an alarm may take long, so it is not done under the lock. One thread at a time does it, and does it again if
/// meanwhile another has asked for another time.
package final class TimerQueue: TimerKeeper, @unchecked Sendable {
  // `@unchecked`: the state is touched under the lock only. Under it no action is run and none released (rule 6.5): one leaves its
  // entry there, and goes outside.
  private let lock = ShortLock()
  private var heap = TimerHeap()
  private var nextTicket: UInt64 = 0
  private var alarm = Alarm()

  private let setAlarm: @Sendable (UInt64) -> Void

  private struct Alarm {
    /// When it rings; `nil`: it does not.
    var time: UInt64?
    /// How often `time` was set. Not the time itself tells whether it was set again: the alarm may have rung meanwhile, and be
    /// wanted for the very same time.
    var version = 0
    /// Whether a thread is setting it, and will look again.
    var isBeingSet = false
    /// Whether it rings: whoever answers it sets it again at the end, for all that came meanwhile.
    var isRinging = false
  }

  /// - Parameter setAlarm: arranges that ``ring(at:)`` is called at that time, and not at the time set before. One call
  ///   at a time.
  package init(setAlarm: @escaping @Sendable (UInt64) -> Void) { self.setAlarm = setAlarm }

  /// How many timers wait.
  package var count: Int { lock.locked { heap.count } }

  /// - Complexity: O(log n) of the timers that wait; O(1) if they are all due before.
  @discardableResult
  package func schedule(
    at deadline: UInt64, from site: CreationSite = CreationSite(), _ action: @escaping @Sendable () -> Void
  ) -> TimerEntry {
    let entry = TimerEntry(deadline: deadline, from: site, in: self, action: action)
    let mustSet = lock.locked {
      heap.insert(entry, ticket: nextTicket)
      nextTicket += 1
      return heapWantsAlarm()
    }
    if mustSet { setAlarms() }
    return entry
  }

  /// - Complexity: O(log n).
  package func cancel(_ entry: TimerEntry) -> Bool {
    let (wasWaiting, action) = lock.locked { (heap.remove(entry), entry.takeAction()) }
    withExtendedLifetime(action) {}
    return wasWaiting
  }

  /// Runs what is due, and sets the alarm for what is left.
  ///
  /// One at a time, so that an action can still cancel those behind it. To be called by the alarm, by one thread at a
  /// time: else actions overlap.
  package func ring(at now: UInt64) {
    lock.locked {
      alarm.time = nil
      alarm.isRinging = true
    }
    while let action = takeDue(at: now) { action() }
    let mustSet = lock.locked {
      alarm.isRinging = false
      return heapWantsAlarm()
    }
    if mustSet { setAlarms() }
  }

  private func takeDue(at now: UInt64) -> (@Sendable () -> Void)? {
    let (action, entry) = lock.locked {
      let entry = heap.removeFirst(dueAt: now)
      return (entry?.takeAction(), entry)
    }
    // The last reference to an entry goes here, outside the lock.
    withExtendedLifetime(entry) {}
    return action
  }

  /// Under the lock: notes when the alarm has to ring. `true`: the caller has to set it.
  private func heapWantsAlarm() -> Bool {
    guard !alarm.isRinging, let earliest = heap.earliest, earliest < alarm.time ?? .max else { return false }
    alarm.time = earliest
    alarm.version += 1
    defer { alarm.isBeingSet = true }
    return !alarm.isBeingSet
  }

  private func setAlarms() {
    var done: Int?
    while let (time, version) = nextAlarm(after: done) {
      setAlarm(time)
      done = version
    }
  }

  /// The time to set, unless the last one that was set is still what is wanted.
  private func nextAlarm(after done: Int?) -> (time: UInt64, version: Int)? {
    lock.locked {
      if let time = alarm.time, done != alarm.version { return (time, alarm.version) }
      alarm.isBeingSet = false
      return nil
    }
  }
}
