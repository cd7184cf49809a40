import PromiseCore

/// Starts the work of a lazy promise, after the lazy promises that it is derived from.
///
/// When the last client gives the work up, the next client starts it anew. Each start has a ``PromiseSlot`` of its own.
/// So a start that is still in progress when its promise is given up cannot disturb the next one.
///
/// Starting and deallocation are iterative, whatever the length of the chain (rule 6.4).
final class LazyStart: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. What is taken out under the lock is run
  // and released outside (rule 6.5).
  private let lock = ShortLock()
  /// `nil` if the work never starts again, because it is settled or the lazy promise was cancelled by name.
  private var plan: Plan?
  /// The slot of the last start, or of the first one.
  private var slot = PromiseSlot()
  private var isStarted = false

  /// The parts of a start.
  private struct Plan {
    var upstream: LazyStart?
    let start: @Sendable (PromiseSlot) -> Void
  }

  /// Creates a pending start.
  ///
  /// - Parameters:
  ///   - upstream: is started before this one, and is retained as long as the work may start.
  ///   - start: starts the work, and fills the slot. It must not retain `upstream`.
  init(after upstream: LazyStart? = nil, _ start: @escaping @Sendable (PromiseSlot) -> Void) {
    plan = Plan(upstream: upstream, start: start)
  }

  /// Whether ``start()`` would start the work.
  var isPending: Bool { pendingStart(isTaken: false) != nil }

  /// The promise of the last start. `nil` if there is none, or if the next client starts the work anew.
  var current: AnyPromise? {
    let slot = lock.locked { self.slot }
    return slot.current.flatMap { isOutdated($0) ? nil : $0 }
  }

  /// Whether clients have given up the promise of a start, so that the next client starts the work anew.
  func isOutdated(_ promise: AnyPromise) -> Bool { promise.wasGivenUp && lock.locked { plan != nil } }

  /// Returns the promise of the last start. Call it after ``start()`` or ``cancel()``.
  ///
  /// - Parameter make: makes a pending promise, for the case that another thread is starting the work at this moment.
  func promise(_ make: () -> AnyPromise) -> AnyPromise {
    let slot = lock.locked { self.slot }
    return slot.promise(make)
  }

  /// Starts everything upstream that is pending, and then this one.
  ///
  /// - Returns: `false` if it is started or cancelled.
  @discardableResult
  func start() -> Bool {
    guard isPending else { return false }
    var chain = [self]
    while let upstream = chain[chain.count - 1].pendingStart(isTaken: false)?.plan.upstream { chain.append(upstream) }
    var isStarting = false
    while let next = chain.popLast() { isStarting = next.startAlone() }
    return isStarting
  }

  private func startAlone() -> Bool {
    guard let (plan, slot) = pendingStart(isTaken: true) else { return false }
    plan.start(slot)
    slot.current?.whenSettled { [weak self] promise in
      // If the promise was given up, the next client needs the plan.
      if !promise.wasGivenUp { self?.dropPlan() }
    }
    return true
  }

  /// Returns the plan of a start that has not happened yet, and the slot for its promise. `nil` if the work is started
  /// or cancelled.
  ///
  /// - Parameter isTaken: whether the caller will carry the plan out.
  private func pendingStart(isTaken: Bool) -> (plan: Plan, slot: PromiseSlot)? {
    while true {
      let (plan, slot, isStarted) = lock.locked { (self.plan, self.slot, self.isStarted) }
      guard let plan else { return nil }
      if isStarted, slot.current?.wasGivenUp != true { return nil }
      if !isTaken { return (plan, slot) }
      let next = isStarted ? PromiseSlot() : slot
      let isFirst = lock.locked {
        guard self.plan != nil, self.slot === slot, self.isStarted == isStarted else { return false }
        self.slot = next
        self.isStarted = true
        return true
      }
      if isFirst { return (plan, next) }
    }
  }

  /// Prevents all further starts. If clients have given up the last one, ``promise(_:)`` returns a new promise.
  func cancel() {
    let slot = lock.locked { self.slot }
    let new = slot.current?.wasGivenUp == true ? PromiseSlot() : nil
    let oldPlan = lock.locked {
      if let new, plan != nil, self.slot === slot { self.slot = new }
      return plan.take()
    }
    withExtendedLifetime((slot, oldPlan)) {}
  }

  private func dropPlan() {
    let oldPlan = lock.locked { plan.take() }
    withExtendedLifetime(oldPlan) {}
  }

  deinit {
    var next = plan?.upstream
    plan = nil
    while isKnownUniquelyReferenced(&next) { next = next?.takeUpstream() }
  }

  private func takeUpstream() -> LazyStart? {
    lock.locked { plan?.upstream.take() }
  }
}

// MARK: - Work

extension LazyStart {
  /// Returns the promise of the work, which is started if necessary. Another thread may give it up meanwhile.
  ///
  /// - Parameter site: where the lazy promise was made.
  private func work<Value>(at site: CreationSite) -> Promise<Value> {
    start()
    // Safe, because the slots of one lazy promise contain promises of one type only.
    return unsafe unsafeDowncast(promise { Promise<Value>(pendingAt: site) }, to: Promise<Value>.self)
  }

  /// Calls the closure with the promise of the work, which is started if necessary, and which is not given up
  /// meanwhile.
  ///
  /// - Parameter body: attaches something to the promise.
  func withWork<Value, Result>(at site: CreationSite, _ body: (Promise<Value>) -> Result) -> Result {
    while true {
      let work: Promise<Value> = work(at: site)
      let result: Result? =
        work.isPending
        ? work.withConsumer { isOutdated(work) ? nil : body(work) } : isOutdated(work) ? nil : body(work)
      if let result { return result }
    }
  }

  /// Returns a promise for one client of the work, which is started if necessary.
  func promiseForClient<Value>(at site: CreationSite) -> Promise<Value> {
    while true {
      let work: Promise<Value> = work(at: site)
      let promise = work.forClient(of: .lazyPromise, at: site)
      // From here on, the client keeps the work going.
      if !isOutdated(work) { return promise }
    }
  }

  /// Waits for the value of the work, which is started if necessary.
  nonisolated(nonsending) func value<Value: Sendable>(
    at site: CreationSite, cancelsSource: Bool
  ) async throws -> Value {
    while true {
      let work: Promise<Value> = work(at: site)
      do {
        return try await (cancelsSource ? work.value(cancelsSource: true) : work.value)
      } catch {
        // While the Task waits, no other client is the last. So the work was given up before that.
        guard isOutdated(work), !Task.isCancelled else { throw error }
      }
    }
  }
}
