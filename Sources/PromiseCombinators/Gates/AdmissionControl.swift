import PromiseContexts
import PromiseCore

/// What all gates are made of: lets closures run when there is a place for them, which they keep until their promise is
/// settled; or, at a pace, until they start.
///
///     run ──▶ entrance, pending ──then, on its context──▶ result
///                  ▲                    │ body's promise, when settled: its place is free
///                  └─ fulfilled when it is let in
///
/// The line keeps the entrance; who waits or is inside keeps the admission control. If the result is cancelled, or the context
/// drops the closure, the entry gives up: its place in the line is free, or the one that it was about to take.
///
/// No thread waits. What is let in is settled in a loop, by one thread at a time, in the order of the queue.
final class AdmissionControl: @unchecked Sendable {
  // `@unchecked`: all that varies is touched under the lock only. Under it nothing is released and no code of users' run: guests are
  // handed out, and go outside (rule 6.5).
  private let lock = ShortLock()
  private var queue: WaitQueue
  /// A thread lets guests in, and will look again.
  private var isProcessing = false

  private let timers: (any TimerContext)?
  private var rateWindow: RateWindow?
  /// Rings when the next may start. Only who serves sets it.
  private var alarm: (any ScheduledTimer)?
  private var firedAlarmCount = 0

  /// - Parameter places: how many there are. Fewer than one count as one.
  init(places: Int) {
    queue = WaitQueue(places: max(1, places))
    timers = nil
  }

  /// As many places as one likes, but only so many start in a time, and those who have are gone.
  init(rateWindow: RateWindow, timers: any TimerContext) {
    queue = WaitQueue(places: .max)
    self.rateWindow = rateWindow
    self.timers = timers
  }

  /// Calls the closure on its context, as soon as there are places for it.
  func run<Value>(
    taking places: Int = 1, on context: any ExecutionContext, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let admitted = Promise<Void>(pendingAt: site)
    let registration = Registration(lock.locked { queue.append(places: places, admitted: admitted) }, for: self)
    let result = admitted.thenOwned(on: context, at: site) { [self] in
      // Else nobody wants it any more.
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

  /// The same, with an async closure in a Task of its own: it keeps its places until it has returned, also if the result is settled
  /// before because it was cancelled.
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
        // Goes with the closure if that is never called.
        defer { lease.end() }
        return try await body()
      }
    }
    processQueue()
    return result
  }

  /// The places of one who is inside, until the closure has returned or is released unrun.
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

  /// Goes with the closure that has it: before that was called, the entry has given up. An observer of the result would
  /// do the same, but a result that is observed is kept in a loop of results (rule 3.3).
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
    // Not when it was let in: its context may have been busy, and others would come too soon after it.
    let now = timers.elapsed
    let entry = lock.locked {
      guard queue.enter(id) else { return nil as WaitQueue.Entry? }
      rateWindow?.recordStart(at: now)
      return queue.leave(id)
    }
    // The next may need a timer from now on.
    return withExtendedLifetime(entry) {
      if entry != nil { processQueue() }
      return entry != nil
    }
  }

  private func updateQueue(_ body: (inout WaitQueue) -> WaitQueue.Entry?) {
    // It goes outside the lock.
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

  /// Lets in whoever may, unless another thread is at it, which will then see what has changed.
  private func processQueue() {
    let isOurs = lock.locked {
      defer { isProcessing = true }
      return !isProcessing
    }
    guard isOurs else { return }
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
    // Not if it has rung by now.
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
