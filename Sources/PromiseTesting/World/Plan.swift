import PromiseContexts
import PromiseCore

/// What is to happen in a world, and what time it is there: jobs and Tasks that wait on contexts, and timers. Says what
/// comes next, and runs nothing.
///
/// Tickets are given in the order in which things come, to jobs and timers alike, so that there is one order in which
/// all have waited.
struct Plan {
  private var lanes: [Lane] = []
  private(set) var timers = TimerHeap()
  private var nextTicket: UInt64 = 0
  private(set) var time: UInt64 = 0
  private(set) var isClosed = false
  private(set) var order = StepOrder.natural
  private(set) var history: [ScheduledStep]?

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

  mutating func addLane(_ name: String, isSerial: Bool) -> LaneID {
    lanes.append(Lane(name: name, isSerial: isSerial))
    return LaneID(index: lanes.count - 1)
  }

  /// `false`: the step comes too late, the world has gone.
  mutating func add(_ step: Step, to lane: LaneID) -> Bool {
    if !isClosed { lanes[lane.index].waiting.append((takeTicket(), step)) }
    return !isClosed
  }

  /// Steps of the context run.
  func isRunning(_ lane: LaneID) -> Bool { lanes[lane.index].running > 0 }

  /// The order is another from now on, and all that happens is noted if asked for.
  mutating func follow(_ newOrder: StepOrder, isNoting: Bool) {
    order = newOrder
    history = isNoting ? [] : nil
  }

  private mutating func takeTicket() -> UInt64 {
    defer { nextTicket += 1 }
    return nextTicket
  }
}

// MARK: - What is next

extension Plan {
  /// Whether there is a next step.
  func hasNext(until limit: UInt64) -> Bool { isAnyReady || nextDeadline(until: limit) != nil }

  private func nextDeadline(until limit: UInt64) -> UInt64? {
    timers.earliest.flatMap { $0 <= min(limit, Self.end) ? $0 : nil }
  }

  /// The next step. If none is ready, time moves on to the next timer, if that is not after the limit.
  mutating func takeNext(until limit: UInt64) -> Next? {
    if !isAnyReady {
      guard let deadline = nextDeadline(until: limit) else { return nil }
      time = max(time, deadline)
    }
    let steps = readySteps
    let next = order.choose(from: steps) { [lanes] position in
      let run = steps.runs[position.run]
      return run.lane.map { lanes[$0].waiting[position.place].ticket } ?? run.oldest
    }
    guard let lane = steps.runs[next.run].lane else { return takeTimer() }
    return takeStep(at: next.place, of: lane)
  }

  /// The step has run.
  mutating func end(_ next: Next) {
    if let lane = next.lane { lanes[lane].running -= 1 }
  }

  private var isTimerDue: Bool { timers.earliest.map { $0 <= time } ?? false }

  private var isAnyReady: Bool { isTimerDue || lanes.contains(where: \.isReady) }

  /// - Complexity: O(*n*), where *n* is the number of contexts.
  private var readySteps: ReadySteps {
    var steps = ReadySteps()
    if isTimerDue, let timer = timers.first {
      steps.append(.init(lane: nil, count: 1, oldest: timer.ticket, newest: timer.ticket))
    }
    for (lane, content) in lanes.enumerated() where content.isReady {
      let isAnyNext = if case .natural = order { false } else { !content.isSerial }
      let count = isAnyNext ? content.waiting.count : 1
      steps.append(
        .init(
          lane: lane, count: count, oldest: content.waiting[0].ticket, newest: content.waiting[count - 1].ticket))
    }
    return steps
  }

  private mutating func takeTimer() -> Next {
    guard let timer = timers.removeFirst(dueAt: time), let action = timer.takeAction() else {
      preconditionFailure("a timer that is due and has no action")
    }
    note("timers", "timer, \(timer.site)")
    return Next(lane: nil, run: action)
  }

  private mutating func takeStep(at place: Int, of lane: Int) -> Next {
    let step = lanes[lane].waiting.remove(at: place).step
    lanes[lane].running += 1
    note(lanes[lane].name, step.description)
    return Next(lane: lane, run: step.run)
  }

  private mutating func note(_ context: String, _ action: @autoclosure () -> String) {
    if history == nil { return }
    let step = ScheduledStep(context: context, action: action(), time: now)
    history?.append(step)
  }

  /// What waits on contexts, in the order in which it came.
  var waitingSteps: [ScheduledStep] {
    lanes
      .flatMap { lane in (0..<lane.waiting.count).map { (name: lane.name, waiting: lane.waiting[$0]) } }
      .sorted { $0.waiting.ticket < $1.waiting.ticket }
      .map { ScheduledStep(context: $0.name, action: $0.waiting.step.description, time: now) }
  }
}

// MARK: - Time

extension Plan {
  /// The last time there is, after 146 years.
  static var end: UInt64 { Duration.latestDeadline - 1 }

  var now: Duration { .nanoseconds(Int64(time)) }

  /// Never back, nor to where what is due never happens.
  mutating func setTime(_ newTime: UInt64) { time = max(time, min(newTime, Self.end)) }

  mutating func add(_ timer: TimerEntry) { timers.insert(timer, ticket: takeTicket()) }

  mutating func remove(_ timer: TimerEntry) -> Bool { timers.remove(timer) }
}

// MARK: - The end

extension Plan {
  /// Takes everything out. What comes later is refused.
  mutating func close() -> (steps: [Step], actions: [@Sendable () -> Void]) {
    isClosed = true
    var steps: [Step] = []
    for index in lanes.indices {
      while let (_, step) = lanes[index].waiting.popFirst() { steps.append(step) }
    }
    var actions: [@Sendable () -> Void] = []
    while let timer = timers.removeFirst(dueAt: .max) {
      if let action = timer.takeAction() { actions.append(action) }
    }
    return (steps, actions)
  }
}
