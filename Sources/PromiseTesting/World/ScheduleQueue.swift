import PromiseContexts
import PromiseCore

/// The time of a ``TestWorld``, the jobs and Tasks that wait on its contexts, its timers, and its events. The queue
/// chooses the next step, but does not run it.
///
/// Jobs, timers and events get tickets in the order in which they are added. So of two, the one with the lower ticket
/// has waited longer.
struct ScheduleQueue {
  private var contextQueues: [ContextQueue] = []
  private(set) var timers = TimerHeap()
  private(set) var events = EventList()
  private var nextTicket: UInt64 = 0
  private(set) var time: UInt64 = 0
  private(set) var isClosed = false
  private(set) var order = StepOrder.natural
  private(set) var history: [ScheduledStep]?
  /// Whether the step that was chosen last is not the one that the default order takes.
  private var isOutOfTurn = false
  /// The random numbers for code in the world. They are not those of the order, so that drawing one changes no order.
  private var randomNumbers = Seeded(0)
  /// The names of the steps that run, each inside the one before.
  private var runningStepNames: [StepName?] = []

  /// The work that waits on one context.
  private struct ContextQueue {
    let name: String
    let isSerial: Bool
    let isMain: Bool
    var waiting = CircularBuffer<(ticket: UInt64, item: WorkItem)>()
    /// The number of its steps that run, one inside another.
    var running = 0

    var isReady: Bool { !waiting.isEmpty && !(isSerial && running > 0) }
  }

  /// Identifies a context.
  struct ContextQueueID { fileprivate let index: Int }

  /// The next step. The caller runs its work, then passes it to ``end(_:hasRun:)``. A step of a context can also be
  /// passed to ``putBack(_:)``.
  struct NextStep {
    /// Whether the step is one of the world's `main`.
    let isOnMain: Bool
    /// The place on a context from which the step was taken.
    fileprivate let origin: (contextQueue: Int, ticket: UInt64)?
    /// The index in ``history``, or `nil` if steps are not recorded.
    fileprivate let record: Int?
    let work: WorkItem
  }

  mutating func addContextQueue(_ name: String, isSerial: Bool, isMain: Bool) -> ContextQueueID {
    contextQueues.append(ContextQueue(name: name, isSerial: isSerial, isMain: isMain))
    return ContextQueueID(index: contextQueues.count - 1)
  }

  /// Adds work. Returns `false` if the world has ended.
  mutating func add(_ item: WorkItem, to contextQueue: ContextQueueID) -> Bool {
    if !isClosed { contextQueues[contextQueue.index].waiting.append((takeTicket(), item)) }
    return !isClosed
  }

  /// Adds an event, which comes at any moment until the deadline. Returns `false` if the world has ended.
  mutating func add(event action: WorkItem, until deadline: UInt64) -> Bool {
    if !isClosed { events.append(.init(ticket: takeTicket(), deadline: deadline, action: action)) }
    return !isClosed
  }

  /// Whether a step of the context runs.
  func isRunning(_ contextQueue: ContextQueueID) -> Bool { contextQueues[contextQueue.index].running > 0 }

  /// The innermost step that runs.
  var runningStepName: StepName? { runningStepNames.last ?? nil }

  /// Sets the order of all further steps.
  ///
  /// - Parameter isRecording: whether ``history`` records them.
  mutating func follow(_ newOrder: StepOrder, isRecording: Bool) {
    order = newOrder
    if let seed = newOrder.seed { randomNumbers = Seeded(~seed) }
    history = isRecording ? [] : nil
  }

  /// Returns a random number in 0..<1, for code in the world.
  mutating func random() -> Double { .random(in: 0..<1, using: &randomNumbers) }

  private mutating func takeTicket() -> UInt64 {
    defer { nextTicket += 1 }
    return nextTicket
  }
}

// MARK: - The next step

extension ScheduleQueue {
  /// Whether there is a next step.
  func hasNext(until limit: UInt64) -> Bool { isAnyReady || nextDeadline(until: limit) != nil }

  /// Whether something waits for a later time.
  var isWaitingForTime: Bool { timers.earliest != nil || !events.isEmpty }

  private func nextDeadline(until limit: UInt64) -> UInt64? {
    earliestDeadline <= min(limit, Self.end) ? earliestDeadline : nil
  }

  /// The time of the next timer or of the next deadline of an event. It is after ``end`` if there is none.
  private var earliestDeadline: UInt64 { min(timers.earliest ?? .max, events.earliest ?? .max) }

  /// Takes the next step. If none is ready, an event may come that waits. Otherwise the time moves on to the next timer
  /// or to the deadline of an event, unless that is after the limit, and the next step is one that is due then.
  mutating func takeNext(until limit: UInt64) -> NextStep? {
    if isAnyReady { return take(choose(from: readySteps(withEvents: true))) }
    if !events.isEmpty, let event = take(choose(from: eventsOrLater)) { return event }
    guard let deadline = nextDeadline(until: limit) else { return nil }
    time = max(time, deadline)
    return take(choose(from: readySteps(withEvents: false)))
  }

  private mutating func choose(from steps: ReadySteps) -> ReadySteps.Position {
    let ticket = { [contextQueues] (position: ReadySteps.Position) in
      guard case .context(let index) = position.run.source else { return position.run.oldest }
      return contextQueues[index].waiting[position.place].ticket
    }
    let position = order.choose(from: steps, at: time, ticket: ticket)
    isOutOfTurn = history != nil && ticket(position) != steps.oldest.run.oldest
    return position
  }

  private mutating func take(_ position: ReadySteps.Position) -> NextStep? {
    switch position.run.source {
    case .context(let index): takeItem(at: position.place, of: index)
    case .timer: takeTimer()
    case .event(let index, _): begin(events.remove(at: index), on: "sometime")
    case .later: nil
    }
  }

  /// Notes that the step has ended.
  ///
  /// - Parameter hasRun: the result of ``WorkItem/run()``.
  mutating func end(_ next: NextStep, hasRun: Bool) {
    runningStepNames.removeLast()
    if let origin = next.origin { contextQueues[origin.contextQueue].running -= 1 }
    if let record = next.record { history?[record].isCancelled = !hasRun }
  }

  /// Puts back a step of a context that could not run, as the next one there. No step was taken since.
  ///
  /// - Returns: `false` if the world has ended. Then the step is not added.
  mutating func putBack(_ next: NextStep) -> Bool {
    guard let origin = next.origin else { preconditionFailure("a step of no context") }
    end(next, hasRun: false)
    if next.record != nil { history?.removeLast() }
    if isClosed { return false }
    var first = CircularBuffer<(ticket: UInt64, item: WorkItem)>()
    first.append((origin.ticket, next.work))
    contextQueues[origin.contextQueue].waiting.prepend(&first)
    return true
  }

  private var isTimerDue: Bool { timers.earliest.map { $0 <= time } ?? false }

  private var isAnyReady: Bool {
    earliestDeadline <= time || contextQueues.contains(where: \.isReady)
  }

  /// - Parameter withEvents: whether an event may come before its deadline.
  /// - Complexity: O(*n*), where *n* is the number of contexts and events.
  private func readySteps(withEvents: Bool) -> ReadySteps {
    var steps = ReadySteps()
    if isTimerDue, let timer = timers.first {
      steps.append(.init(source: .timer, oldest: timer.ticket, newest: timer.ticket))
    }
    for run in events.runs(at: time, onlyDue: !withEvents) { steps.append(run) }
    for (index, content) in contextQueues.enumerated() where content.isReady {
      let isAnyNext = if case .natural = order { false } else { !content.isSerial }
      let count = isAnyNext ? content.waiting.count : 1
      steps.append(
        .init(
          source: .context(index), count: count, oldest: content.waiting[0].ticket,
          newest: content.waiting[count - 1].ticket))
    }
    return steps
  }

  private var eventsOrLater: ReadySteps {
    var steps = ReadySteps()
    for run in events.runs(at: time, onlyDue: false) + [EventList.later] { steps.append(run) }
    return steps
  }

  private mutating func takeTimer() -> NextStep {
    guard let timer = timers.removeFirst(dueAt: time), let action = timer.takeAction() else {
      preconditionFailure("a timer that is due and has no action")
    }
    return begin(.timer(at: timer.site, action), on: "timers")
  }

  private mutating func takeItem(at place: Int, of contextQueue: Int) -> NextStep {
    let (ticket, item) = contextQueues[contextQueue].waiting.remove(at: place)
    contextQueues[contextQueue].running += 1
    let isOnMain = contextQueues[contextQueue].isMain
    return begin(item, on: contextQueues[contextQueue].name, isOnMain: isOnMain, from: (contextQueue, ticket))
  }

  private mutating func begin(
    _ work: WorkItem, on context: String, isOnMain: Bool = false, from origin: (Int, UInt64)? = nil
  ) -> NextStep {
    runningStepNames.append(work.name)
    let record = history?.count
    if record != nil {
      var step = describe(work, on: context)
      step.isOutOfTurn = isOutOfTurn
      history?.append(step)
    }
    return NextStep(isOnMain: isOnMain, origin: origin, record: record, work: work)
  }

  private func describe(_ work: WorkItem, on context: String) -> ScheduledStep {
    ScheduledStep(context: context, action: work.description, time: now)
  }

  /// The settled promises that wait for handlers on contexts. The caller releases them outside its lock.
  var sourcesOfWaitingHandlers: [AnyPromise] {
    contextQueues.flatMap { queue in (0..<queue.waiting.count).compactMap { queue.waiting[$0].item.source } }
  }

  /// The work that waits on contexts, and the events, in the order in which they were added.
  var waitingSteps: [ScheduledStep] {
    let work = contextQueues.flatMap { queue in
      (0..<queue.waiting.count).map { (ticket: queue.waiting[$0].ticket, queue.waiting[$0].item, queue.name) }
    }
    return (work + events.events.map { (ticket: $0.ticket, $0.action, "sometime") })
      .sorted { $0.ticket < $1.ticket }
      .map { describe($0.1, on: $0.2) }
  }
}

// MARK: - Time

extension ScheduleQueue {
  /// The end of the world's time, after 146 years.
  static var end: UInt64 { Duration.latestDeadline - 1 }

  var now: Duration { .nanoseconds(Int64(time)) }

  /// Moves the time on, up to ``end``. Never moves it back.
  mutating func setTime(_ newTime: UInt64) { time = max(time, min(newTime, Self.end)) }

  mutating func add(_ timer: TimerEntry) { timers.insert(timer, ticket: takeTicket()) }

  mutating func remove(_ timer: TimerEntry) -> Bool { timers.remove(timer) }

  /// Makes all events due now.
  mutating func endWaitingOfEvents() {
    for event in events.removeAll() { events.append(.init(ticket: event.ticket, deadline: time, action: event.action)) }
  }
}

// MARK: - The end

extension ScheduleQueue {
  /// Removes and returns all work and the actions of all timers. Afterwards ``add(_:to:)`` refuses work.
  mutating func close() -> (items: [WorkItem], actions: [@Sendable () -> Void]) {
    isClosed = true
    var items = events.removeAll().map(\.action)
    for index in contextQueues.indices {
      while let (_, item) = contextQueues[index].waiting.popFirst() { items.append(item) }
    }
    var actions: [@Sendable () -> Void] = []
    while let timer = timers.removeFirst(dueAt: .max) {
      if let action = timer.takeAction() { actions.append(action) }
    }
    return (items, actions)
  }
}
