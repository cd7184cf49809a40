import Synchronization

/// A closure that is shown the progress on a context (rules 5.3 and 5.5).
///
/// One delivery is in flight at a time; it reads the latest value when it runs. If there is a newer one when the closure has
/// returned, the next delivery is scheduled, so that an observer that is slower than the reports gives way to others on its
/// context.
///
/// The last value, 1, gets a delivery of its own, scheduled before the promise is published: on a first-in-first-out context it
/// runs before every handler of the value (rule 5.2), even if another is being scheduled by another thread at this moment, or
/// is running and would schedule the next only when the closure has returned. Also if 1 was offered before, as any other
/// value: by a report, or by a source. Whichever comes first shows it, and the other does nothing.
final class ProgressObserver: ProgressSink, @unchecked Sendable {
  // `@unchecked`: the variables are touched under the lock only.
  private let context: any ExecutionContext
  private let body: @Sendable (Double) -> Void
  private let lock = ShortLock()
  private var latest = 0.0
  private var told = 0.0
  private var isLast = false
  private var isInFlight = false
  private var isRunning = false

  init(on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void) {
    self.context = context
    self.body = body
  }

  override func offer(_ value: Double, isLast: Bool) {
    let mustSchedule = lock.locked {
      guard value > latest || isLast && !self.isLast && value == latest && latest > told else { return false }
      latest = value
      self.isLast = isLast
      defer { isInFlight = true }
      return !isInFlight || isLast
    }
    if mustSchedule { schedule() }
  }

  private func schedule() {
    let delivery = Delivery(to: self)
    Promise<Void>.now(at: Site(#fileID, #line)).observe(on: context, handling: .value) { _, _ in
      delivery.run()
      return .nothing
    }
  }

  /// One job. Dropped unrun, it makes room for the next.
  private final class Delivery: Sendable {
    private let observer: ProgressObserver
    private let hasRun = Atomic<Bool>(false)

    init(to observer: ProgressObserver) { self.observer = observer }

    func run() {
      // Relaxed: it runs once, and goes after that.
      hasRun.store(true, ordering: .relaxed)
      observer.deliver()
    }

    deinit { if !hasRun.load(ordering: .relaxed) { observer.deliveryWasDropped() } }
  }

  private func deliver() {
    while let value = take() {
      body(value)
      lock.locked { isRunning = false }
      // The delivery of the last value may have come while the closure ran, on a context where handlers overlap, and have left it
      // to us. Any other newer value waits its turn.
      if !lock.locked({ isLast }) { break }
    }
    if mustGoOn() { schedule() }
  }

  /// `nil`: there is nothing new, or another delivery is at it, and will look again.
  private func take() -> Double? {
    lock.locked {
      guard !isRunning, latest > told else { return nil }
      isRunning = true
      told = latest
      return latest
    }
  }

  /// A job has run. Returns whether there is something to show that has no job yet: it gets one.
  private func mustGoOn() -> Bool {
    lock.locked {
      isInFlight = latest > told && !isLast && !isRunning
      return isInFlight
    }
  }

  /// The context has let a job go: whoever reports next tries again.
  private func deliveryWasDropped() { lock.locked { isInFlight = false } }
}
