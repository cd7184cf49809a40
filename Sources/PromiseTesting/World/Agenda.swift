import Foundation
import PromiseContexts
import PromiseCore

/// What is to happen in a world, and what time it is: jobs and Tasks that wait on contexts, and timers.
///
/// May be asked from any thread; says what comes next, but runs nothing. Tickets are given in the order in which things came, to jobs
/// and timers alike, so that there is one order in which all have waited.
final class Agenda: TimerKeeper, @unchecked Sendable {
  // `@unchecked`: what varies is touched under the lock only. Nothing is run there, and nothing of the user's let go (rule 6.5).
  private let lock = NSLock()
  private var lanes: [Lane] = []
  private var timers = TimerHeap()
  private var nextTicket: UInt64 = 0
  private var time: UInt64 = 0
  private var isClosed = false
  private var order = StepOrder.natural
  private var history: [ScheduledStep]?

  /// What waits on one context.
  private struct Lane {
    let name: String
    let isSerial: Bool
    var waiting = Ring<(ticket: UInt64, step: Step)>()
    /// How many of its steps run, one inside another.
    var running = 0

    var isReady: Bool { !waiting.isEmpty && !(isSerial && running > 0) }
  }

  /// Names a context.
  struct LaneID { fileprivate let index: Int }

  /// What is next: to be run, and then ended.
  struct Next {
    fileprivate let lane: Int?
    let run: () -> Void
  }

  func addLane(_ name: String, isSerial: Bool) -> LaneID {
    lock.withLock {
      lanes.append(Lane(name: name, isSerial: isSerial))
      return LaneID(index: lanes.count - 1)
    }
  }

  /// Steps that come to a context together. Returns those that come too late: the world has gone.
  func add(_ steps: [Step], to lane: LaneID) -> [Step] {
    lock.withLock {
      if isClosed { return steps }
      for step in steps { lanes[lane.index].waiting.append((takeTicket(), step)) }
      return []
    }
  }

  private func takeTicket() -> UInt64 {
    defer { nextTicket += 1 }
    return nextTicket
  }

  // MARK: Running

  /// Whether steps of the context run.
  func isRunning(_ lane: LaneID) -> Bool { lock.withLock { lanes[lane.index].running > 0 } }

  /// Whether there is a next step.
  func hasNext(until limit: UInt64) -> Bool {
    lock.withLock { isAnyReady || timers.earliest.map { $0 <= limit } ?? false }
  }

  /// The next step. If none is ready, time moves on to the next timer, if that is not after the limit.
  func takeNext(until limit: UInt64) -> Next? {
    lock.withLock {
      if !isAnyReady {
        guard let deadline = timers.earliest, deadline <= limit else { return nil }
        time = max(time, deadline)
      }
      return takeReady()
    }
  }

  /// The step has run.
  func end(_ next: Next) {
    guard let lane = next.lane else { return }
    lock.withLock { lanes[lane].running -= 1 }
  }

  private var isTimerDue: Bool { timers.earliest.map { $0 <= time } ?? false }

  private var isAnyReady: Bool { isTimerDue || lanes.contains(where: \.isReady) }

  private enum Candidate {
    case timer
    case job(lane: Int, place: Int)
  }

  private func takeReady() -> Next {
    var candidates: [(ticket: UInt64, candidate: Candidate)] = []
    if isTimerDue, let timer = timers.first { candidates.append((timer.ticket, .timer)) }
    for (lane, content) in lanes.enumerated() where content.isReady {
      let isAnyNext = if case .natural = order { false } else { !content.isSerial }
      for place in 0..<(isAnyNext ? content.waiting.count : 1) {
        candidates.append((content.waiting[place].ticket, .job(lane: lane, place: place)))
      }
    }
    candidates.sort { $0.ticket < $1.ticket }
    switch candidates[order.choose(from: candidates.count)].candidate {
    case .timer: return takeTimer()
    case .job(let lane, let place): return takeStep(at: place, of: lane)
    }
  }

  private func takeTimer() -> Next {
    guard let timer = timers.removeFirst(dueAt: time), let action = timer.takeAction() else {
      preconditionFailure("a timer that is due and has no action")
    }
    history?.append(ScheduledStep(context: "timers", action: "timer, \(timer.site)", time: now))
    return Next(lane: nil, run: action)
  }

  private func takeStep(at place: Int, of lane: Int) -> Next {
    let step = lanes[lane].waiting.remove(at: place).step
    lanes[lane].running += 1
    history?.append(ScheduledStep(context: lanes[lane].name, action: "\(step)", time: now))
    return Next(lane: lane, run: step.run)
  }

  // MARK: Time

  private var now: Duration { .nanoseconds(Int64(time)) }

  var currentTime: UInt64 { lock.withLock { time } }

  /// Never back, nor to where what is due never happens.
  func setTime(_ newTime: UInt64) { lock.withLock { time = max(time, min(newTime, Self.end)) } }

  /// The last time there is, after 146 years.
  static var end: UInt64 { Duration.latestDeadline - 1 }

  func addTimer(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    lock.withLock {
      let entry = TimerEntry(deadline: delay.deadline(from: time), from: site, in: self, action: action)
      if !isClosed { timers.insert(entry, ticket: takeTicket()) }
      return entry
    }
  }

  func cancel(_ entry: TimerEntry) -> Bool {
    let (wasWaiting, action) = lock.withLock { (timers.remove(entry), entry.takeAction()) }
    withExtendedLifetime(action) {}
    return wasWaiting
  }

  /// The timers that wait, the next one first.
  var armedTimers: [TimerEntry] {
    let entries = lock.withLock { timers.entries }
    return entries.sorted { ($0.deadline, $0.ticket) < ($1.deadline, $1.ticket) }
  }

  /// What waits on contexts.
  var waitingSteps: [ScheduledStep] {
    let (now, lanes): (Duration, [Lane]) = lock.withLock { (self.now, self.lanes) }
    return lanes.flatMap { lane in
      (0..<lane.waiting.count).map {
        ScheduledStep(context: lane.name, action: "\(lane.waiting[$0].step)", time: now)
      }
    }
  }

  // MARK: Schedules

  /// From now on, in this order, and all that happens is noted.
  func follow(_ newOrder: StepOrder) {
    lock.withLock {
      order = newOrder
      history = []
    }
  }

  /// The order, with what it has noted, and what happened.
  var record: (order: StepOrder, steps: [ScheduledStep]) { lock.withLock { (order, history ?? []) } }

  /// Lets everything go, unrun: promises that waited for it are rejected. What comes later is refused. Tasks, which may not be let
  /// go, are left to the system's executor.
  func close() {
    let (lanes, timers) = lock.withLock {
      defer {
        isClosed = true
        for index in self.lanes.indices { self.lanes[index].waiting = Ring() }
        self.timers = TimerHeap()
      }
      return (self.lanes, self.timers.entries)
    }
    for lane in lanes {
      for place in 0..<lane.waiting.count { lane.waiting[place].step.leave() }
    }
    for timer in timers {
      let action = lock.withLock { timer.takeAction() }
      withExtendedLifetime(action) {}
    }
  }
}
