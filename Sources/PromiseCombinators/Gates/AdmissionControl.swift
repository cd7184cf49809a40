import PromiseContexts
import PromiseCore

/// Calls closures when places are free for them. All gates except ``SingleFlight`` are built on it.
///
/// A closure keeps its places until its promise is settled. With a ``RateWindow``, it keeps them until it starts.
///
///     run ──▶ admitted, pending ──then, on the context──▶ result
///                  ▲                      │
///                  │                      └─ when the closure's promise is settled, its places are free
///                  └─ fulfilled when the entry is admitted
///
/// The queue retains the promise `admitted`. An entry that waits or runs retains the admission control. If the result
/// is cancelled, or the context drops the closure, the entry is withdrawn: it leaves the queue, and if it has places
/// already, they are free again.
///
/// No thread blocks. Entries are admitted in a loop, by one thread at a time, in the order of the queue.
final class AdmissionControl: @unchecked Sendable {
  // `@unchecked` is correct because the variables are used under the lock only. Under the lock nothing is released and
  // no user code runs. Removed entries are returned, and released outside (rule 6.5).
  private let lock = ShortLock()
  private var queue: WaitQueue
  /// Whether a thread is processing the queue. It will look at the queue again before it stops.
  private var isProcessing = false

  private let timers: (any TimerContext)?
  private var rateWindow: RateWindow?
  /// Fires when the next entry may start. Only the thread that processes the queue sets it.
  private var alarm: (any ScheduledTimer)?
  /// The number of alarms that have fired, which tells whether an alarm has fired while it was being set.
  private var firedAlarmCount = 0

  /// Creates an admission control with a number of places.
  ///
  /// - Parameter places: the number of places. A number below 1 counts as 1.
  init(places: Int) {
    queue = WaitQueue(places: max(1, places))
    timers = nil
  }

  /// Creates an admission control with any number of places that limits how many closures start in a period.
  init(rateWindow: RateWindow, timers: any TimerContext) {
    queue = WaitQueue(places: .max)
    self.rateWindow = rateWindow
    self.timers = timers
  }

  /// Calls the closure on its context when its places are free.
  func run<Value>(
    taking places: Int = 1, on context: any ExecutionContext, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let admitted = Promise<Void>(pendingAt: site)
    let registration = Registration(lock.locked { queue.append(places: places, admitted: admitted) }, for: self)
    let result = admitted.thenOwned(on: context, at: site) { [self] in
      // The entry was withdrawn if no consumer wants the result any more.
      guard enter(registration.id) else { throw CancellationError() }
      if timers != nil { return try body() }
      do {
        let promise = try body()
        promise.whenSettled { [self, id = registration.id] in updateQueue { $0.leave(id) } }
        return promise
      } catch {
        updateQueue { $0.leave(registration.id) }
        throw error
      }
    }
    processQueue()
    return result
  }

  /// Calls the async closure in a Task of its own when its places are free. It keeps them until it has returned, even
  /// if the result was cancelled before that.
  func asyncRun<Value>(
    taking places: Int = 1, priority: TaskPriority?, at site: CreationSite,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    let admitted = Promise<Void>(pendingAt: site)
    let registration = Registration(lock.locked { queue.append(places: places, admitted: admitted) }, for: self)
    let result = admitted.thenOwned(on: InlineContext.shared, at: site) { [self] in
      guard enter(registration.id) else { throw CancellationError() }
      let lease = PlaceLease(registration.id, in: self)
      return Promise.task(priority: priority) {
        // If the closure is never called, the lease ends when the closure is released.
        defer { lease.end() }
        return try await body()
      }
    }
    processQueue()
    return result
  }

  /// Keeps the places of a running entry until its async closure has returned, or is released without having been
  /// called.
  private final class PlaceLease: Sendable {
    private let id: Int
    private let admission: AdmissionControl

    init(_ id: Int, in admission: AdmissionControl) {
      self.id = id
      self.admission = admission
    }

    deinit { end() }

    func end() { admission.updateQueue { [id] in $0.leave(id) } }
  }

  /// Withdraws its entry when the closure that retains it is released before it was called.
  ///
  /// An observer of the result could do the same. But a result with an observer cannot be passed over in a recursive
  /// chain, so the memory of such a chain would not stay flat (rule 3.3).
  private final class Registration: Sendable {
    let id: Int
    private let admission: AdmissionControl

    init(_ id: Int, for admission: AdmissionControl) {
      self.id = id
      self.admission = admission
    }

    deinit { admission.updateQueue { [id] in $0.withdraw(id) } }
  }

  private func enter(_ id: Int) -> Bool {
    guard let timers else { return lock.locked { queue.enter(id) } }
    // The start is counted now, and not at the admission. If the context was busy in between, later entries would start
    // too soon after this one.
    let now = timers.elapsed
    let entry = lock.locked {
      guard queue.enter(id) else { return nil as WaitQueue.Entry? }
      rateWindow?.recordStart(at: now)
      return queue.leave(id)
    }
    // The next entry may need a timer from now on.
    return withExtendedLifetime(entry) {
      if entry != nil { processQueue() }
      return entry != nil
    }
  }

  private func updateQueue(_ body: (inout WaitQueue) -> WaitQueue.Entry?) {
    // The entry is released outside the lock.
    let entry = lock.locked { body(&queue) }
    withExtendedLifetime(entry) { processQueue() }
  }
}

// MARK: - Processing the queue

extension AdmissionControl {
  private enum Action {
    case admit(WaitQueue.Entry)
    case setAlarm(after: Duration, from: CreationSite, firedAlarmCount: Int)
    case cancel(any ScheduledTimer)
    case done
  }

  /// Admits all entries that may be admitted. If another thread is doing that already, it will also see the latest
  /// change.
  private func processQueue() {
    let mustProcess = lock.locked {
      defer { isProcessing = true }
      return !isProcessing
    }
    guard mustProcess else { return }
    while true {
      let now = timers?.elapsed ?? .zero
      switch lock.locked({ nextAction(at: now) }) {
      case .admit(let entry): entry.admitted.fulfillIfPending(())
      case .setAlarm(let delay, let site, let firedAlarmCount):
        setAlarm(after: delay, from: site, firedAlarmCount: firedAlarmCount)
      case .cancel(let alarm): alarm.cancel()
      case .done: return
      }
    }
  }

  private func nextAction(at now: Duration) -> Action {
    if let alarm, queue.waitingCount == 0 {
      self.alarm = nil
      return .cancel(alarm)
    }
    let delay = rateWindow == nil ? .zero : rateWindow?.delay(at: now, admitted: queue.admittedCount)
    if delay == .zero, let entry = queue.admitFirst() { return .admit(entry) }
    if let delay, delay > .zero, alarm == nil, let first = queue.firstWaiting {
      return .setAlarm(after: delay, from: first.admitted.createdAt, firedAlarmCount: firedAlarmCount)
    }
    isProcessing = false
    return .done
  }

  private func setAlarm(after delay: Duration, from site: CreationSite, firedAlarmCount: Int) {
    guard let timers else { return }
    let alarm = timers.schedule(after: delay, from: site) { [weak self] in self?.alarmFired() }
    // The alarm may have fired already. Then it is not stored.
    lock.locked { if self.firedAlarmCount == firedAlarmCount { self.alarm = alarm } }
  }

  private func alarmFired() {
    let alarm = lock.locked {
      firedAlarmCount += 1
      return self.alarm.take()
    }
    withExtendedLifetime(alarm) { processQueue() }
  }
}
