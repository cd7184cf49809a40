import PromiseContexts
import PromiseCore

/// Calls closures when places are free for them. All gates except ``SingleFlight`` are built on it.
///
/// A closure keeps its places until its promise has finished, or is settled, as the gate was told. With a
/// ``RateWindow``, it keeps them until it starts.
///
///     run ──▶ admitted, pending ──then, on the context──▶ result
///                  ▲                      │
///                  │                      └─ when the closure's promise has finished, its places are free
///                  └─ fulfilled when the guest is admitted
///
/// The queue retains the promise `admitted`. A guest that waits or runs retains the admission control. A guest has a
/// `Ticket`, which the closure retains before it is called, and afterwards the observer of its promise. When the
/// ticket is released or told to leave, the guest leaves the queue, and its places are free. That happens after
/// the result is settled.
///
/// No thread blocks. Guests are admitted in a loop, by one thread at a time, in the order of the queue. Other threads
/// may free places as fast as the loop uses them, so a call admits a limited number of guests, and the pool continues.
final class AdmissionControl: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. Under the lock nothing is released and
  // no user code runs. Removed guests are returned, and released outside (rule 6.5).
  let lock = ShortLock()
  private(set) var queue: WaitQueue
  /// Whether a thread is processing the queue. It will look at the queue again before it stops.
  private var isProcessing = false
  /// Whether no guest is admitted at the moment.
  private(set) var admitsNone = false
  /// The number of alarms that have fired, which tells whether an alarm has fired while it was being set.
  private var firedAlarmCount: UInt32 = 0

  let identity: GateIdentity
  /// The number of places. `nil` with a ``RateWindow``. Used under the lock.
  private var places: Int?
  private let end: WorkEnd
  private let timers: (any TimerContext)?
  private var rateWindow: RateWindow?
  /// Fires when the next guest may start. Only the thread that processes the queue sets it.
  private var alarm: (any ScheduledTimer)?

  /// Creates an admission control with a number of places.
  ///
  /// - Parameters:
  ///   - places: the number of places. A number below 1 counts as 1.
  ///   - end: when a guest leaves.
  ///   - waitingLimit: how long a guest may wait. With `nil` there is no limit.
  ///   - queueLimit: how many guests may wait. With `nil` there is no limit.
  init(_ identity: GateIdentity, places: Int, until end: WorkEnd, waitingLimit: WaitingLimit?, queueLimit: Int?) {
    self.identity = identity
    self.end = end
    self.places = max(1, places)
    queue = WaitQueue(places: max(1, places), waitingLimit: waitingLimit, queueLimit: queueLimit)
    timers = nil
  }

  /// Creates an admission control with any number of places that limits how many closures start in a period.
  init(
    _ identity: GateIdentity, rateWindow: RateWindow, waitingLimit: WaitingLimit?, queueLimit: Int?,
    timers: any TimerContext
  ) {
    self.identity = identity
    end = .settled
    queue = WaitQueue(places: .max, waitingLimit: waitingLimit, queueLimit: queueLimit)
    self.rateWindow = rateWindow
    self.timers = timers
  }

  /// Calls the closure on its context when its places are free.
  func run<Value>(
    taking places: Int = 1, with priority: QueuePriority? = nil, on context: any ExecutionContext,
    at site: CreationSite, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let (ticket, admitted, waitingLimit) = enqueue(places, priority, at: site)
    let begin: @Sendable () throws -> Promise<Value> = { [self] in
      guard enter(ticket.id) else { throw CancellationError() }
      return try body()
    }
    return result(of: begin, after: admitted, waitingLimit, on: context, at: site, keeping: ticket)
  }

  /// Calls the async closure in a Task of its own when its places are free. If it keeps them until it has finished,
  /// that is until it has returned, even if the result was cancelled before.
  func asyncRun<Value>(
    taking places: Int = 1, with queuePriority: QueuePriority? = nil, priority: TaskPriority?, at site: CreationSite,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    let (ticket, admitted, waitingLimit) = enqueue(places, queuePriority, at: site)
    let caller = TaskLocalValues()
    let tracing = CapturedContext()
    let begin: @Sendable () -> Promise<Value> = { [self] in
      // Inside this call, the Task also inherits the caller's priority, and not that of the thread that admits the
      // guest.
      caller.run {
        Promise.task(priority: priority) {
          // The guest is entered in the Task, which may begin long after it was created.
          guard enter(ticket.id) else { throw CancellationError() }
          return try await tracing.run(awaiting: body)
        }
      }
    }
    return result(
      of: begin, after: admitted, waitingLimit, on: InlineContext.shared, at: site, keeping: ticket)
  }

  private func result<Value>(
    of body: @escaping @Sendable () throws -> Promise<Value>, after admitted: PlacePromise, _ limit: WaitingLimit?,
    on context: any ExecutionContext, at site: CreationSite, keeping ticket: Ticket
  ) -> Promise<Value> {
    let result =
      timers == nil
      ? admitted.thenOwned(on: context, by: .gate, at: site, keeping: ticket, body)
      : admitted.thenOwned(on: context, by: .gate, at: site, body)
    processQueue()
    limit?.apply(to: admitted, at: site)
    return result
  }

  /// Appends a guest to the queue. The guest leaves when its ticket is released.
  private func enqueue(
    _ places: Int, _ priority: QueuePriority?, at site: CreationSite
  ) -> (Ticket, PlacePromise, WaitingLimit?) {
    let admitted = PlacePromise(at: site, waitingFor: self)
    let pool = PoolContext.pool
    let (id, waitingLimit) = lock.locked {
      (queue.append(places: places, priority: priority, admitted: admitted, pool: pool), queue.waitingLimit)
    }
    return (Ticket(id, for: self), admitted, waitingLimit)
  }

  /// The right of a guest to its place in the queue, and then to its places in the gate.
  ///
  /// An observer of the result could do the same for a guest whose closure is never called. But a result with an
  /// observer cannot be passed over in a recursive chain, so the memory of such a chain would not stay flat (rule 3.3).
  ///
  /// `@unchecked Sendable`, because `place` is set before the observer is attached that reads it.
  final class Ticket: KeptPlace, @unchecked Sendable {
    let id: Int
    private let admission: AdmissionControl
    private var place: PlacePromise?

    fileprivate init(_ id: Int, for admission: AdmissionControl) {
      self.id = id
      self.admission = admission
    }

    // The closure was never called, or something was lost that its promise waits for to finish.
    deinit { leave() }

    func leave() { admission.remove(id) }

    func leave(after promise: AnyPromise?, admittedBy place: PlacePromise) {
      guard let promise else { return leave() }
      // A client promise would keep the work going (rule 4.6).
      place.returned = promise.resolved
      self.place = place
      // Captures only this object, because a closure with one object needs no memory of its own.
      promise.whenSettled { [self] settled in
        self.place?.returned = nil
        if admission.end == .settled || settled.isFinished { return leave() }
        settled.whenFinished { [self] in leave() }
      }
    }
  }

  /// Admits a guest that is inside at once, unless it would have to wait.
  ///
  /// - Returns: the right of the guest to its places, and the promise of its admission. `nil` if the gate is paused, if
  ///   too few places are free, or if another guest waits.
  func tryEnter(taking places: Int = 1, at site: CreationSite) -> (Ticket, PlacePromise)? {
    guard lock.locked({ hasRoom(for: places) }) else { return nil }
    let admitted = PlacePromise(at: site, waitingFor: self)
    let pool = PoolContext.pool
    let id = lock.locked { () -> Int? in
      // Another thread may have been faster.
      guard hasRoom(for: places) else { return nil }
      return queue.appendRunning(places: places, admitted: admitted, pool: pool)
    }
    admitted.settleIfPending(id == nil ? .failure(CancellationError()) : .success(()))
    return id.map { (Ticket($0, for: self), admitted) }
  }

  private func hasRoom(for places: Int) -> Bool {
    !admitsNone && queue.waitingCount == 0 && queue.freePlaces >= places
  }

  private func remove(_ id: Int) {
    let (guest, isLimited) = lock.locked { (queue.remove(id), queue.waitingLimit != nil) }
    guard let guest else { return }
    guest.admitted.noteLeftGate()
    // If the guest waits, no client has its promise, and the promise is settled so that its timer is cancelled (rule
    // 4.9).
    if isLimited { guest.admitted.settleIfPending(.failure(CancellationError())) }
    // The guest is released outside the lock.
    withExtendedLifetime(guest) { processQueue() }
  }

  private func enter(_ id: Int) -> Bool {
    guard let timers else { return lock.locked { queue.enter(id) } }
    // The start is counted now, and not at the admission. If the context was busy in between, later guests would start
    // too soon after this one.
    let now = timers.elapsed
    let guest = lock.locked {
      guard queue.enter(id) else { return nil as WaitQueue.Guest? }
      rateWindow?.recordStart(at: now)
      return queue.remove(id)
    }
    // The next guest may need a timer from now on.
    return withExtendedLifetime(guest) {
      if guest != nil { processQueue() }
      return guest != nil
    }
  }
}

// MARK: - The state of the gate

extension AdmissionControl {
  var waitingCount: Int { lock.locked { queue.waitingCount } }

  var runningCount: Int { lock.locked { queue.holderCount } }

  /// The number of guests that wait or have their places.
  var guestCount: Int { lock.locked { queue.waitingCount + queue.holderCount } }

  /// Whether guests wait although there are places for the first of them. For descriptions.
  var keepsFreePlaces: Bool { lock.locked { admitsNone || queue.firstAdmissible != nil } }

  /// The number of places. `nil` with a ``RateWindow``.
  var placeCount: Int? { lock.locked { places } }

  /// Changes the number of places. Guests that have their places keep them. A number below 1 counts as 1.
  func setPlaceCount(_ count: Int) {
    lock.locked {
      let count = max(1, count)
      queue.addPlaces(count - (places ?? count))
      places = count
    }
    processQueue()
  }

  /// Whether no guest is admitted at the moment. A change to `false` admits those that wait.
  var isPaused: Bool {
    get { lock.locked { admitsNone } }
    set {
      lock.locked { admitsNone = newValue }
      processQueue()
    }
  }

  /// Admits the guests of a gate that was released while it was paused. Otherwise no code could ever admit them.
  func gateWasReleased() {
    if isPaused { isPaused = false }
  }

  /// Returns a promise that is fulfilled when the queue is calm in that sense.
  func when(_ calm: WaitQueue.Calm, _ fileID: StaticString, _ line: UInt) -> Promise<Void> {
    let site = CreationSite(fileID: fileID, line: line)
    while true {
      let new = PlacePromise(at: site, waitingFor: EndOfOperations(of: self, calm))
      let now = timers?.elapsed ?? .zero
      let stored = lock.locked {
        queue.isCalm(calm, isOpen: isOpen(at: now)) ? nil : queue.promise(for: calm, orStore: new)
      }
      guard let promise = stored?.promise else { return .fulfilled((), fileID: fileID, line: line) }
      // If no client waits any more, neither the gate nor a timer is kept for them (rule 4.9).
      if promise === new { promise.whenSettled { [self] in removeCancelledPromise(for: calm) } }
      // A rate limit may need a timer for it.
      if calm == .room { processQueue() }
      // All clients share one promise, and the last that gives up cancels it.
      let result = promise.forClient(of: .gate, at: site)
      // The others may have done so meanwhile.
      if !promise.isCancelled { return result }
    }
  }

  private func removeCancelledPromise(for calm: WaitQueue.Calm) {
    let removed = lock.locked { queue.removeCancelledPromise(for: calm) }
    guard let removed else { return }
    withExtendedLifetime(removed) { processQueue() }
  }
}

// MARK: - Processing the queue

extension AdmissionControl {
  private enum Action {
    case admit(WaitQueue.Guest)
    case setAlarm(after: Duration, from: CreationSite, firedAlarmCount: UInt32)
    case cancel(any ScheduledTimer)
    /// Reject the operations for which the queue has no room.
    case refuse([WaitQueue.Guest])
    /// Fulfil a promise for a calm queue.
    case becomeCalm(Promise<Void>)
    /// Fulfil a promise because no guest is inside, and admit those that wait after that.
    case becomeEmpty(Promise<Void>)
    /// Let the pool admit the guest, and those behind it.
    case handOver(WaitQueue.Guest)
    case done
  }

  /// The greatest number of guests that one call admits.
  private static let maxAdmissions = 32

  /// Admits the guests that may be admitted, or lets the pool do it if there are many. If another thread is doing that
  /// already, it will also see the latest change.
  private func processQueue() {
    while true {
      let now = timers?.elapsed ?? .zero
      let (mustProcess, excess) = lock.locked { () -> (Bool, [WaitQueue.Guest]) in
        defer { isProcessing = true }
        guard isProcessing else { return (true, []) }
        // While that thread admits no guest, each thread refuses its own, because many threads would be faster than one.
        return (false, isOpen(at: now) && queue.firstAdmissible != nil ? [] : queue.removeExcess())
      }
      if mustProcess { return process(admitting: Self.maxAdmissions) }
      if excess.isEmpty { return }
      refuse(excess)
    }
  }

  /// Processes the queue. The caller must be the only one that does so.
  ///
  /// - Parameter limit: the greatest number of guests to admit.
  private func process(admitting limit: Int) {
    var remaining = limit
    while true {
      let now = timers?.elapsed ?? .zero
      switch lock.locked({ nextAction(at: now, mayAdmit: remaining > 0) }) {
      case .admit(let guest):
        remaining -= 1
        guest.admitted.fulfillIfPending(())
      case .setAlarm(let delay, let site, let firedAlarmCount):
        setAlarm(after: delay, from: site, firedAlarmCount: firedAlarmCount)
      case .cancel(let alarm): alarm.cancel()
      case .refuse(let guests): refuse(guests)
      case .becomeCalm(let promise):
        // An operation of another gate may wait for it, and end that gate, and so on.
        promise.fulfillUnnested(())
      case .becomeEmpty(let promise):
        return promise.fulfillUnnested(()) { [self, remaining] in process(admitting: remaining) }
      case .handOver(let guest): return handOver(at: guest)
      case .done: return
      }
    }
  }

  /// Rejects the promises of guests that have left the queue.
  private func refuse(_ guests: [WaitQueue.Guest]) {
    for guest in guests.reversed() {
      guest.admitted.noteLeftGate()
      guest.admitted.settleIfPending(.failure(PromiseError.queueFull(createdAt: guest.admitted.createdAt)))
    }
    lock.locked { queue.didRefuse(guests.count) }
  }

  /// Lets the pool of the guest process the queue.
  private func handOver(at guest: WaitQueue.Guest) {
    let site = guest.admitted.createdAt
    let task = PoolTask(for: self)
    let promise = Promise<Void>.startOwned(on: guest.pool, by: .gate, at: site) {
      task.run()
      return Promise(value: (), at: site)
    }
    promise.markHandledInAdvance()
  }

  /// Processes the queue once, on the pool. If the pool drops the job, because its test environment has ended, this
  /// happens when the job is released. Otherwise no thread would ever process the queue again.
  private final class PoolTask: @unchecked Sendable {
    // `@unchecked Sendable`, because a job runs once, and is released after that.
    private var admission: AdmissionControl?

    init(for admission: AdmissionControl) { self.admission = admission }

    func run() { admission.take()?.process(admitting: AdmissionControl.maxAdmissions) }

    // Without a limit, because a pool that drops one job drops the next one, too.
    deinit { admission?.process(admitting: .max) }
  }

  private func nextAction(at now: Duration, mayAdmit: Bool) -> Action {
    if let alarm, queue.waitingCount == 0 && queue.promiseForRoom == nil || admitsNone {
      self.alarm = nil
      return .cancel(alarm)
    }
    if let promise = queue.takePromiseForCalm() {
      return queue.waitingCount == 0 || admitsNone ? .becomeCalm(promise) : .becomeEmpty(promise)
    }
    let delay = delay(at: now)
    if delay == .zero {
      if !mayAdmit {
        if let guest = queue.firstAdmissible { return .handOver(guest) }
      } else if let guest = queue.admitFirst() {
        return .admit(guest)
      }
    }
    let excess = queue.removeExcess()
    if !excess.isEmpty { return .refuse(excess) }
    if let promise = queue.promiseForRoom, queue.isCalm(.room, isOpen: delay == .zero) {
      queue.removePromiseForRoom()
      return .becomeCalm(promise)
    }
    if let delay, delay > .zero, alarm == nil, let awaited = queue.firstWaiting?.admitted ?? queue.promiseForRoom {
      return .setAlarm(after: delay, from: awaited.createdAt, firedAlarmCount: firedAlarmCount)
    }
    isProcessing = false
    return .done
  }

  /// Returns how long the next guest must wait even if places are free.
  ///
  /// - Returns: zero if it may be admitted now; `nil` if another event must happen before.
  private func delay(at now: Duration) -> Duration? {
    if admitsNone { return nil }
    return rateWindow == nil ? .zero : rateWindow?.delay(at: now, admitted: queue.admittedCount)
  }

  /// Returns whether a guest for which there are places would be admitted now.
  private func isOpen(at now: Duration) -> Bool { delay(at: now) == .zero }

  private func setAlarm(after delay: Duration, from site: CreationSite, firedAlarmCount: UInt32) {
    guard let timers else { return }
    let alarm = timers.schedule(after: delay, from: site) { [weak self] in self?.alarmFired() }
    // The alarm may have fired already. Then it is not stored.
    let isStored = lock.locked {
      guard self.firedAlarmCount == firedAlarmCount else { return false }
      self.alarm = alarm
      return true
    }
    // Another alarm may have fired instead, which could not be cancelled any more when it was taken.
    if !isStored { alarm.cancel() }
  }

  private func alarmFired() {
    let alarm = lock.locked {
      firedAlarmCount &+= 1
      return self.alarm.take()
    }
    // It is another alarm if this one could not be cancelled any more when it was taken.
    alarm?.cancel()
    processQueue()
  }
}
