import Synchronization

extension AnyPromise {
  /// Passes the progress to a sink from now on, and the present value at once if it is above 0 (rule 5.3). The sink is
  /// not a consumer (rule 4.0).
  final func observeProgress(by sink: ProgressSink) {
    let promise = resolved
    let woken = promise.addProgressSink(sink)
    // First, so that the sink is not offered an old value before the present one.
    ProgressWatch.wake(woken ?? [])
    promise.offerProgress(to: sink, isAdded: woken != nil)
  }

  /// Passes the progress to a sink that belongs to a watch, which is looking. Returns the watches that must look after
  /// it.
  final func passProgress(to sink: ProgressSink) -> [ProgressWatch] {
    let promise = resolved
    let woken = promise.addProgressSink(sink)
    promise.offerProgress(to: sink, isAdded: woken != nil)
    return woken ?? []
  }

  /// Adds a sink to this promise, which is not collapsed. Returns the watches that must look, or `nil` if the promise is
  /// settled.
  private func addProgressSink(_ sink: ProgressSink) -> [ProgressWatch]? {
    guard withState({ state in state.isPending && sideTable.progress.add(sink) }) else { return nil }
    if let watch = makeProgressWatch() { return [watch] }
    // A handler of this promise may be running, whose source counts.
    guard case .independent(let amount) = progressEdge else { return [] }
    return raiseProgress(to: min(1, amount / weight)) ?? []
  }

  /// Offers the present value to a sink. The thread that settles the promise ends a sink that was added.
  private func offerProgress(to sink: ProgressSink, isAdded: Bool) {
    guard isAdded else {
      let last = progress
      if last > 0 { sink.offer(last, isLast: true, of: self) }
      return sink.end()
    }
    let isDone = acquiredState.isDone
    // While the promise is pending, a watch keeps this value up to date, and has told the sink if it was faster. Do not
    // compute the progress here. To observe each promise of a long chain would then take quadratic time.
    let present = shownProgress
    if present > 0, !isDone { sink.offer(present, isLast: false, of: nil) }
  }

  /// Stops passing the progress to a sink.
  final func ignoreProgress(by sink: ProgressSink) {
    let promise = resolved
    _ = promise.locked { promise.side?.progress.remove(sink) }
  }
}

/// A receiver of the progress of one promise, for example a closure on a context, or an asynchronous sequence.
///
/// Several threads may call the methods at the same time, and with values in any order. A sink shows a value only if it
/// is higher than the last. The methods are never called under a lock.
class ProgressSink: @unchecked Sendable {
  // `@unchecked Sendable`, because `index` is guarded by the lock of the promise, and subclasses guard their
  // properties.

  /// The index among the sinks of the promise.
  final var index = 0
  /// The watch that must look again when this sink was offered a value.
  var watch: ProgressWatch? { nil }

  /// Offers the present progress.
  ///
  /// - Parameters:
  ///   - isLast: whether no further value follows.
  ///   - settled: the promise, once it is settled.
  func offer(_ value: Double, isLast: Bool, of settled: AnyPromise?) {}

  /// Shows nothing more, because the promise was cancelled (rule 2.5).
  func takeBack() {}

  /// Ends the sink, because the promise is settled. No further value follows.
  func end() {}
}

/// A closure that receives the progress on a context (rules 5.3 and 5.5).
///
/// At most one ordinary delivery is in flight at a time. It reads the latest value when it runs. If there is a newer
/// value when the closure has returned, the next delivery is scheduled. So an observer that is slower than the reports
/// lets other jobs run on its context.
///
/// The last value has a delivery of its own, which is scheduled before the entries of the promise are fired. On a
/// first-in-first-out context it runs before every handler of the value (rule 5.2). This holds even if another thread
/// is just scheduling a delivery, or if a delivery is running and would schedule the next only after the closure has
/// returned. It also holds if the value was offered before as an ordinary value, by a report or by a source. The
/// delivery that runs first shows the value, and the other does nothing. A cancellation of the settled promise takes the
/// last delivery back, and with it the observer (rule 2.5).
final class ProgressObserver: ProgressSink, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed under the lock only.
  private let context: any ExecutionContext
  /// `nil` once it was taken back.
  private var body: (@Sendable (Double) -> Void)?
  private let lock = ShortLock()
  private var latest = 0.0
  private var delivered = 0.0
  private var isLast = false
  private var isInFlight = false
  private var isRunning = false

  init(on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void) {
    self.context = context
    self.body = body
  }

  override func offer(_ value: Double, isLast: Bool, of settled: AnyPromise?) {
    let mustSchedule = lock.locked {
      let isNew = value > latest
      // What is not shown yet gets a delivery below the settled promise, where a cancellation finds it.
      let isUnshown = settled != nil && latest > delivered
      guard body != nil, isNew || isUnshown else { return false }
      latest = max(latest, value)
      self.isLast = isLast
      defer { isInFlight = true }
      return !isInFlight || settled != nil
    }
    if mustSchedule { schedule(after: settled) }
  }

  override func takeBack() {
    // Released outside the lock, and before the cancellation returns (rule 2.5).
    let body = lock.locked { self.body.take() }
    withExtendedLifetime(body) {}
  }

  /// - Parameter settled: the promise, once it is settled. A cancellation finds the delivery below it.
  private func schedule(after settled: AnyPromise? = nil) {
    let delivery = Delivery(to: self, isTakenBackIfDropped: settled != nil)
    let body = HandlerBody { _, _ in
      delivery.run()
      return .nothing
    }
    if let settled { return settled.scheduleTakenBack(on: context, body) }
    Promise<Void>.fulfilledSource(at: Site(#fileID, #line)).observePrepared(on: context, .value, body)
  }

  /// One job for the context. If the context drops the job, the next value may be scheduled again.
  private final class Delivery: Sendable {
    private let observer: ProgressObserver
    private let isTakenBackIfDropped: Bool
    private let hasRun = Atomic<Bool>(false)

    init(to observer: ProgressObserver, isTakenBackIfDropped: Bool) {
      self.observer = observer
      self.isTakenBackIfDropped = isTakenBackIfDropped
    }

    func run() {
      // Relaxed, because the job runs once and is released afterwards. The release orders this store before the load in
      // `deinit`.
      hasRun.store(true, ordering: .relaxed)
      observer.deliver()
    }

    deinit {
      if hasRun.load(ordering: .relaxed) { return }
      // No value follows this one, and an earlier delivery would show it.
      if isTakenBackIfDropped { observer.takeBack() } else { observer.deliveryWasDropped() }
    }
  }

  private func deliver() {
    while let (value, body) = take() {
      body(value)
      lock.locked { isRunning = false }
      // On a context where handlers overlap, the delivery of the last value may have run during the closure, and have
      // left the value to this delivery. Any other newer value gets a delivery of its own.
      if !lock.locked({ isLast }) { break }
    }
    if mustScheduleAgain() { schedule() }
  }

  /// Takes the latest value. Returns `nil` if there is no new value, or if another delivery is running the closure and
  /// will look again.
  private func take() -> (value: Double, body: @Sendable (Double) -> Void)? {
    lock.locked {
      guard !isRunning, latest > delivered, let body else { return nil }
      isRunning = true
      delivered = latest
      return (latest, body)
    }
  }

  /// Called after a job has run. Returns whether there is a new value without a job, which the caller must schedule.
  private func mustScheduleAgain() -> Bool {
    lock.locked {
      isInFlight = latest > delivered && !isLast && !isRunning && body != nil
      return isInFlight
    }
  }

  /// Called when the context has dropped a job. The next report schedules another job.
  private func deliveryWasDropped() { lock.locked { isInFlight = false } }
}
