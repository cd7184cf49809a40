import Synchronization

extension AnyPromise {
  /// Passes the progress to a sink from now on, and the present value at once if it is above 0 (rule 5.3). The sink is
  /// not a consumer (rule 4.0).
  final func observeProgress(by sink: ProgressSink) {
    let (promise, woken) = addProgressSink(sink)
    // First, so that the sink is not offered an old value before the present one.
    ProgressWatch.wake(woken ?? [])
    promise.offerProgress(to: sink, isAdded: woken != nil)
  }

  /// Passes the progress to a sink that belongs to a watch, which is looking. Returns the watches that must look after
  /// it.
  final func passProgress(to sink: ProgressSink) -> [ProgressWatch] {
    let (promise, woken) = addProgressSink(sink)
    promise.offerProgress(to: sink, isAdded: woken != nil)
    return woken ?? []
  }

  /// Adds a sink to the promise for which this one stands.
  ///
  /// - Returns: that promise, and the watches that must look. These are `nil` if it is settled.
  private func addProgressSink(_ sink: ProgressSink) -> (promise: AnyPromise, woken: [ProgressWatch]?) {
    var promise = self
    while true {
      if let woken = promise.addOwnProgressSink(sink) { return (promise, woken) }
      // Another thread may have collapsed it meanwhile.
      guard promise.acquiredState.isForwarded else { return (promise, nil) }
      promise = promise.resolved
    }
  }

  /// Adds a sink to this promise. Returns the watches that must look, or `nil` if the promise is not pending.
  private func addOwnProgressSink(_ sink: ProgressSink) -> [ProgressWatch]? {
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
      if last > 0 { sink.offer(last, of: self, isSettled: true) }
      return sink.end()
    }
    let isDone = acquiredState.isDone
    // While the promise is pending, a watch keeps this value up to date, and has told the sink if it was faster. Do not
    // compute the progress here. To observe each promise of a long chain would then take quadratic time.
    let present = shownProgress
    if present > 0, !isDone { sink.offer(present, of: self, isSettled: false) }
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

  /// Offers the present progress of the promise.
  ///
  /// - Parameter isSettled: whether the promise is settled, so that this is its last value.
  func offer(_ value: Double, of promise: AnyPromise, isSettled: Bool) {}

  /// Shows nothing more, because the promise was cancelled, and releases nothing (rules 2.5 and 4.7).
  func mute() {}

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
/// last delivery back, and with it the observer (rule 2.5). So on a context where handlers overlap, the last delivery is
/// held, not started, until an earlier one has ended.
final class ProgressObserver: ProgressSink, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed under the lock only.
  private let context: any ExecutionContext
  /// `nil` once it was taken back.
  private var body: (@Sendable (Double) -> Void)?
  private let lock = ShortLock()
  /// The latest value was passed to the closure.
  private var isDelivered = true
  /// The value of the settled promise was offered, and has a delivery of its own.
  private var isSettled = false
  private var isInFlight = false
  private var isRunning = false
  private var latest = 0.0
  /// The last delivery, while an earlier one is running the closure.
  private var heldDelivery: Job?

  init(on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void) {
    self.context = context
    self.body = body
  }

  override func offer(_ value: Double, of promise: AnyPromise, isSettled: Bool) {
    let (mustSchedule, mayOverlap) = lock.locked {
      let isNew = value > latest
      // What is not shown yet gets a delivery below the settled promise, where a cancellation finds it.
      let isUnshown = isSettled && !isDelivered
      guard body != nil, isNew || isUnshown else { return (false, false) }
      if isNew {
        latest = value
        isDelivered = false
      }
      if isSettled { self.isSettled = true }
      defer { isInFlight = true }
      return (!isInFlight || isSettled, isInFlight || isRunning)
    }
    guard mustSchedule else { return }
    if isSettled { scheduleLast(of: promise, mayOverlap: mayOverlap) } else { schedule(at: promise.site) }
  }

  override func mute() {
    lock.locked {
      // No value is higher.
      latest = .infinity
      isDelivered = true
    }
  }

  override func takeBack() {
    // Released outside the lock, and before the cancellation returns (rule 2.5).
    let body = lock.locked { self.body.take() }
    withExtendedLifetime(body) {}
  }

  /// Schedules an ordinary delivery.
  ///
  /// - Parameter site: that of the promise, which names the delivery in reports.
  private func schedule(at site: Site) {
    let delivery = Delivery(to: self, at: site, isTakenBackIfDropped: false)
    let job = Entry<Never>(startingAt: site, [.isObserver, .value, .made(by: .onProgress)])
    job.start(on: context, delivery.body, source: nil)
  }

  /// Schedules the last delivery. A cancellation finds it below the promise, which is settled.
  ///
  /// - Parameter mayOverlap: whether an earlier delivery may be running when the context runs this one.
  private func scheduleLast(of promise: AnyPromise, mayOverlap: Bool) {
    let delivery = Delivery(to: self, at: promise.site, isTakenBackIfDropped: true)
    guard let job = promise.takenBackJob(delivery.body, .made(by: .onProgress)) else { return }
    guard mayOverlap else { return context.scheduleUnchecked(job) }
    // If the context drops the observer, that drops this job, too.
    let last = Job(job)
    let observer = Entry<Never>(
      from: promise, at: promise.site, [.isObserver, .value, .error, .isNotConsumer, .made(by: .onProgress)], weight: 0)
    let holding = HandlerBody { [self] _, _ in
      if !hold(last) { last.run() }
      return .nothing
    }
    observer.start(on: context, holding, source: promise)
  }

  /// Holds the last delivery until the one that is running has ended. Returns `false` if none is running.
  private func hold(_ last: Job) -> Bool {
    lock.locked {
      if isRunning { heldDelivery = last }
      return isRunning
    }
  }

  /// One job for the context. If the context drops the job, the next value may be scheduled again.
  private final class Delivery: Sendable {
    private let observer: ProgressObserver
    private let site: Site
    private let isTakenBackIfDropped: Bool
    private let hasRun = Atomic<Bool>(false)

    init(to observer: ProgressObserver, at site: Site, isTakenBackIfDropped: Bool) {
      self.observer = observer
      self.site = site
      self.isTakenBackIfDropped = isTakenBackIfDropped
    }

    var body: HandlerBody {
      HandlerBody { [self] _, _ in
        run()
        return .nothing
      }
    }

    private func run() {
      // Relaxed, because the job runs once and is released afterwards. The release orders this store before the load in
      // `deinit`.
      hasRun.store(true, ordering: .relaxed)
      observer.deliver(at: site)
    }

    deinit {
      if hasRun.load(ordering: .relaxed) { return }
      // An earlier delivery would show the value, and no cancellation would find it there.
      if isTakenBackIfDropped { observer.takeBack() } else { observer.deliveryWasDropped() }
    }
  }

  private func deliver(at site: Site) {
    guard let (value, body) = take() else { return endDelivery(hasRun: false, at: site) }
    body(value)
    endDelivery(hasRun: true, at: site)
  }

  private func endDelivery(hasRun: Bool, at site: Site) {
    let (mustSchedule, held) = lock.locked {
      if hasRun { isRunning = false }
      // A newer value without a job.
      isInFlight = !isDelivered && !isSettled && !isRunning && body != nil
      return (isInFlight, isRunning ? nil : heldDelivery.take())
    }
    if mustSchedule { schedule(at: site) }
    held?.run()
  }

  /// Takes the latest value. Returns `nil` if there is no new value.
  private func take() -> (value: Double, body: @Sendable (Double) -> Void)? {
    // Not a result of `locked`, which would wrap the closure in a heap block.
    var value = 0.0
    var taken: (@Sendable (Double) -> Void)?
    lock.locked {
      guard !isDelivered, let body else { return }
      assert(!isRunning, "Two deliveries of progress overlap.")
      isRunning = true
      isDelivered = true
      value = latest
      taken = body
    }
    return taken.map { (value, $0) }
  }

  /// Called when the context has dropped a job. The next report schedules another job.
  private func deliveryWasDropped() { lock.locked { isInFlight = false } }
}
