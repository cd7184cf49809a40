package import PromiseCore

/// Manages the timers of one clock: stores them, sets an alarm for the first one, and runs the actions that are due. It
/// reads no clock: time is an argument.
///
/// ## The alarm
/// One alarm serves all timers. It is set when a timer is due earlier than the alarm would fire, and again for the
/// remaining timers after it has fired. It is not set when a timer is cancelled. So it may fire when no timer is due,
/// and is then set anew. With timeouts of one length, which are nearly always cancelled, it is hardly ever set.
///
/// Setting an alarm may take long, so it is not done under the lock. One thread at a time sets it, and sets it again if
/// another thread has requested another time meanwhile. An alarm that a new timer finds a second late is set again, at
/// most once a second.
///
/// ## Rounds
/// The alarm starts a *round*, which runs all actions that are due, one after another, on another thread than the
/// alarm's. While the round runs, the alarm fires every few milliseconds. If the round is at the same action as at the
/// previous alarm, it is *abandoned*: a new round runs the other actions, and the old round ends when its action
/// returns. So an action that blocks does not delay other timers for long.
///
/// Invariant: only the current round takes entries from the heap. So actions start in order, and overlap only if one
/// takes long.
package final class TimerQueue: TimerKeeper, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. Under the lock no action is run and none
  // is released (rule 6.5): an action is taken from its entry under the lock, and released outside. They need no
  // exclusivity checks, because the lock excludes other threads, and no code is called during an access.
  private let lock = ShortLock()
  @safe @exclusivity(unchecked) private var heap = TimerHeap()
  @safe @exclusivity(unchecked) private var nextTicket: UInt64 = 0
  @safe @exclusivity(unchecked) private var alarm = Alarm()
  /// The current round, or `nil` if none runs or the last one was abandoned.
  @safe @exclusivity(unchecked) private var round: Round?
  @safe @exclusivity(unchecked) private var lastRoundNumber = 0

  private let roundCheckInterval: UInt64
  private let setAlarm: @Sendable (UInt64) -> Void
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Alarm {
    /// The time at which the alarm fires, or `nil` if it is not set.
    var time: UInt64?
    /// Incremented whenever `time` is set. The time itself does not tell whether it was set again, because the alarm
    /// may have fired and be requested for the same time.
    var version = 0
    /// Whether a thread is setting the alarm. That thread checks `version` again before it stops.
    var isBeingSet = false
    /// The time when a late alarm was set again.
    var timeOfRepetition: UInt64 = 0

    /// Whether the alarm is a second late, and was not set again in the last second.
    func isLost(at now: UInt64) -> Bool {
      guard let time, now > max(time, timeOfRepetition) else { return false }
      return now - max(time, timeOfRepetition) > 1_000_000_000
    }
  }

  private struct Round {
    let number: Int
    /// The number of actions that have begun.
    var begunCount = 0
    /// The number of actions that had begun at the last alarm.
    var begunCountAtLastAlarm = 0

    /// Whether the round is at the same action as at the last alarm. A round that has begun no action still waits for
    /// its thread, and is not stuck: another round would wait, too.
    var isStuck: Bool { begunCount > 0 && begunCount == begunCountAtLastAlarm }
  }

  /// Creates a queue with no timer.
  ///
  /// - Parameters:
  ///   - roundCheckInterval: the time between two alarms while a round runs.
  ///   - start: runs the round that it gets, once, on a thread that the round may block. The default runs it inside the
  ///     call.
  ///   - setAlarm: arranges that ``alarmFired(at:)`` is called at the time that it gets, and no longer at the time of
  ///     the call before. The queue makes one call at a time.
  package init(
    roundCheckInterval: UInt64 = 0, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    setAlarm: @escaping @Sendable (UInt64) -> Void
  ) {
    self.roundCheckInterval = roundCheckInterval
    self.start = start
    self.setAlarm = setAlarm
  }

  package var elapsed: Duration { .nanoseconds(Int64(UInt64.uptime)) }

  /// The number of timers that wait.
  package var count: Int { lock.locked { heap.count } }

  /// Adds a timer that runs the action at `deadline` or later.
  ///
  /// - Parameter now: the present time. An alarm that is a second late counts as lost, because Dispatch loses one if the
  ///   process has no descriptor left.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait; O(1) if they are all due before.
  @discardableResult
  package func schedule(
    at deadline: UInt64, now: UInt64 = 0, from site: CreationSite = CreationSite(),
    _ action: @escaping @Sendable () -> Void
  ) -> TimerEntry {
    let entry = TimerEntry(deadline: deadline, from: site, in: self, action: action)
    let mustSet = lock.locked {
      heap.insert(entry, ticket: nextTicket)
      nextTicket += 1
      if let time = alarm.time, alarm.isLost(at: now) {
        alarm.timeOfRepetition = now
        return requestAlarm(at: time)
      }
      return requestAlarmForHeap()
    }
    if mustSet { setRequestedAlarms() }
    return entry
  }

  /// Removes a timer, and releases its action.
  ///
  /// - Returns: `false` if the action has started or was cancelled before.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  package func cancel(_ entry: TimerEntry) -> Bool {
    let (wasWaiting, action) = lock.locked { (heap.remove(entry), entry.takeAction()) }
    _ = consume action
    return wasWaiting
  }

  /// Starts a round if actions are due, unless a round runs that makes progress. Sets the alarm for the next check of
  /// the round, or for the remaining timers.
  ///
  /// The alarm calls it, on one thread at a time.
  package func alarmFired(at now: UInt64) {
    let (number, mustSet) = lock.locked {
      alarm.time = nil
      let number = beginRound(at: now)
      // While a round runs, the alarm checks that round, and fires even if no other timer is due.
      let nextCheck = min(now, Duration.latestDeadline) + roundCheckInterval
      return (number, round == nil ? requestAlarmForHeap() : requestAlarm(at: nextCheck))
    }
    if mustSet { setRequestedAlarms() }
    if let number { start { [self] in run(round: number, dueAt: now) } }
  }

  private func run(round number: Int, dueAt now: UInt64) {
    // Actions are taken one at a time, so that an action can still cancel the later ones.
    while let action = takeDue(in: number, at: now) { action() }
  }

  /// Takes the next action of the round. Returns `nil` if no action is due any more, or if the round was abandoned.
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
    // The last reference to the entry is released here, outside the lock.
    withExtendedLifetime(entry) {}
    return action
  }
}

// MARK: - Under the lock

extension TimerQueue {
  /// Abandons a round that is stuck, and begins the next one if an action is due and no round runs.
  ///
  /// - Returns: the number of the round to start, if any.
  private func beginRound(at now: UInt64) -> Int? {
    if let current = round, !current.isStuck {
      round?.begunCountAtLastAlarm = current.begunCount
      return nil
    }
    round = nil
    guard let earliest = heap.earliest, earliest <= now else { return nil }
    lastRoundNumber += 1
    round = Round(number: lastRoundNumber)
    return lastRoundNumber
  }

  /// Requests the alarm for the first timer, if it would fire too late. Returns whether the caller must set the alarm.
  private func requestAlarmForHeap() -> Bool {
    guard round == nil, let earliest = heap.earliest, earliest < alarm.time ?? .max else { return false }
    return requestAlarm(at: earliest)
  }

  /// Requests the alarm for a time. Returns whether the caller must set the alarm; otherwise another thread does.
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

  /// Returns the time to set, or `nil` if the alarm that was set last is still the requested one.
  private func nextAlarm(after lastSetVersion: Int?) -> (time: UInt64, version: Int)? {
    lock.locked {
      if let time = alarm.time, lastSetVersion != alarm.version { return (time, alarm.version) }
      alarm.isBeingSet = false
      return nil
    }
  }
}
