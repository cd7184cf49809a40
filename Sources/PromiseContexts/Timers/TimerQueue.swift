package import PromiseCore

/// The timers of one clock: which wait, which are due, and when to wake up for them. It reads no clock: time is an argument.
///
/// ## The alarm
/// One alarm serves all timers. It is set when a timer is due earlier than it would ring, and after it has rung for those
/// that are left; not when a timer is cancelled. So it may ring when nothing is due, which sets it right; and with timeouts of
/// one length, which are nearly always cancelled, it is hardly ever set.
///
/// To set an alarm may take long, so it is not done under the lock. One thread at a time does it, and does it again if
/// meanwhile another has asked for another time.
///
/// ## Rounds
/// The alarm starts a *round*, which runs all actions that are due, one by one, on another thread than the alarm's. While it
/// runs, the alarm rings every few milliseconds. If a round is at the same action as at the previous ring, it is *abandoned*: a new
/// round runs the other actions, and the old one ends when its action returns. So an action that blocks delays no other timer
/// for long.
///
/// Invariant: only the current round takes entries from the heap. So actions start in order, and overlap only if one takes long.
package final class TimerQueue: TimerKeeper, @unchecked Sendable {
  // `@unchecked`: the state is touched under the lock only. Under it no action is run and none released (rule 6.5): one leaves its
  // entry there, and goes outside.
  private let lock = ShortLock()
  private var heap = TimerHeap()
  private var nextTicket: UInt64 = 0
  private var alarm = Alarm()
  /// The current round; `nil`: none runs, or the last was abandoned.
  private var round: Round?
  private var lastRound = 0

  private let roundCheckInterval: UInt64
  private let setAlarm: @Sendable (UInt64) -> Void
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Alarm {
    /// When it rings; `nil`: it does not.
    var time: UInt64?
    /// How often `time` was set. Not the time itself tells whether it was set again: the alarm may have rung meanwhile, and be
    /// wanted for the very same time.
    var version = 0
    /// Whether a thread is setting it, and will look again.
    var isBeingSet = false
  }

  private struct Round {
    let number: Int
    /// How many actions it has begun.
    var begunCount = 0
    /// How many it had begun when the alarm last rang.
    var begunCountAtLastAlarm = 0

    /// It is at the same action as when the alarm last rang. One that has not begun waits for its thread; another round would, too.
    var isStuck: Bool { begunCount > 0 && begunCount == begunCountAtLastAlarm }
  }

  /// - Parameters:
  ///   - roundCheckInterval: the time between two rings of the alarm while a round runs.
  ///   - start: runs the round that it is given, once, on a thread that the round may block. By default in the call.
  ///   - setAlarm: arranges that ``alarmFired(at:)`` is called at that time, and not at the time set before. One call
  ///     at a time.
  package init(
    roundCheckInterval: UInt64 = 0, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    setAlarm: @escaping @Sendable (UInt64) -> Void
  ) {
    self.roundCheckInterval = roundCheckInterval
    self.start = start
    self.setAlarm = setAlarm
  }

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
      return requestAlarmForHeap()
    }
    if mustSet { setRequestedAlarms() }
    return entry
  }

  /// - Complexity: O(log n).
  package func cancel(_ entry: TimerEntry) -> Bool {
    let (wasWaiting, action) = lock.locked { (heap.remove(entry), entry.takeAction()) }
    withExtendedLifetime(action) {}
    return wasWaiting
  }

  /// Starts a round if actions are due, unless one runs that gets on. Sets the alarm for the next look, or for what is left.
  ///
  /// Called by the alarm, on one thread at a time.
  package func alarmFired(at now: UInt64) {
    let (number, mustSet) = lock.locked {
      alarm.time = nil
      let number = beginRound(at: now)
      // While a round runs the alarm is its, and rings also if nothing else is due.
      let nextLook = min(now, Duration.latestDeadline) + roundCheckInterval
      return (number, round == nil ? requestAlarmForHeap() : requestAlarm(at: nextLook))
    }
    if mustSet { setRequestedAlarms() }
    if let number { start { [self] in run(round: number, dueAt: now) } }
  }

  private func run(round number: Int, dueAt now: UInt64) {
    // One at a time, so that an action can still cancel those behind it.
    while let action = takeDue(in: number, at: now) { action() }
  }

  /// The next action of the round; `nil`: nothing is due any more, or the round was abandoned.
  private func takeDue(in number: Int, at now: UInt64) -> (@Sendable () -> Void)? {
    let (action, entry, mustSet) = lock.locked { () -> ((@Sendable () -> Void)?, TimerEntry?, Bool) in
      guard round?.number == number else { return (nil, nil, false) }
      if let entry = heap.removeFirst(dueAt: now) {
        round?.begunCount += 1
        return (entry.takeAction(), entry, false)
      }
      round = nil
      return (nil, nil, requestAlarmForHeap())
    }
    if mustSet { setRequestedAlarms() }
    // The last reference to an entry goes here, outside the lock.
    withExtendedLifetime(entry) {}
    return action
  }
}

// MARK: - Under the lock

extension TimerQueue {
  /// Abandons a round that is stuck, and begins the next one if something is due and no round runs. Returns the number of the round to start.
  private func beginRound(at now: UInt64) -> Int? {
    if let current = round, !current.isStuck {
      round?.begunCountAtLastAlarm = current.begunCount
      return nil
    }
    round = nil
    guard let earliest = heap.earliest, earliest <= now else { return nil }
    lastRound += 1
    round = Round(number: lastRound)
    return lastRound
  }

  /// Notes when the alarm has to ring for the first timer. `true`: the caller has to set it.
  private func requestAlarmForHeap() -> Bool {
    guard round == nil, let earliest = heap.earliest, earliest < alarm.time ?? .max else { return false }
    return requestAlarm(at: earliest)
  }

  private func requestAlarm(at time: UInt64) -> Bool {
    alarm.time = time
    alarm.version += 1
    defer { alarm.isBeingSet = true }
    return !alarm.isBeingSet
  }
}

// MARK: - Setting the alarm

extension TimerQueue {
  private func setRequestedAlarms() {
    var lastSetVersion: Int?
    while let (time, version) = nextAlarm(after: lastSetVersion) {
      setAlarm(time)
      lastSetVersion = version
    }
  }

  /// The time to set, unless the last one that was set is still what is wanted.
  private func nextAlarm(after lastSetVersion: Int?) -> (time: UInt64, version: Int)? {
    lock.locked {
      if let time = alarm.time, lastSetVersion != alarm.version { return (time, alarm.version) }
      alarm.isBeingSet = false
      return nil
    }
  }
}
