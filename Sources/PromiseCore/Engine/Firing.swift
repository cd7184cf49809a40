// The entries of a settled promise are fired: their handlers are scheduled, or the outcome is passed on.

/// Promises that are settled, and whose entries are still to be fired by this call. It makes settling a loop instead of
/// a recursion.
struct FiringQueue {
  /// `nil` in the usual case, in which a settlement leads to nothing but jobs of contexts.
  private var waiting: Waiting?
  /// Where the hooks of promises run that this call cancels (rule 4.5).
  private let hookPlace: DueHooks.Place

  private struct Waiting {
    var settled = WorkQueue<Settled>()
    /// Cancellations that were caused by what was settled here. They begin when everything else has been fired. Those
    /// of promises without clients come first, because such a promise may only leave a promise that another one gives up
    /// (rule 4.0).
    var unobserved = WorkQueue<Cancellation>()
    var givenUp = WorkQueue<Cancellation>()
    /// The promises that were left. Released when everything has been fired, because a release may run code of a client.
    var left: [Departure] = []
    /// Hooks that run when everything has been fired.
    var hooks: [DueHooks] = []
  }

  init(hooksRun place: DueHooks.Place = .elsewhere) { hookPlace = place }

  private mutating func withWaiting<Result>(_ body: (inout Waiting) -> Result) -> Result {
    var waiting = self.waiting.take() ?? Waiting()
    defer { self.waiting = waiting }
    return body(&waiting)
  }

  /// Fires a promise later.
  mutating func append(_ promise: Settled) {
    leaveFollowed(by: promise)
    withWaiting { $0.settled.append(promise) }
  }

  /// Runs hooks when everything has been fired.
  mutating func append(_ due: DueHooks) { if !due.isEmpty { withWaiting { $0.hooks.append(due) } } }

  /// Fires everything, until nothing is left.
  @inline(__always)
  mutating func fireAll() { if waiting != nil { fireWaiting() } }

  @inline(never)
  private mutating func fireWaiting() {
    while true {
      while let next = withWaiting({ $0.settled.popFirst() }) { fire(next) }
      guard var cancellation = withWaiting({ $0.unobserved.popFirst() ?? $0.givenUp.popFirst() }) else { break }
      // A cancellation that is caused here is appended to the same queue, so this is a loop (rule 6.4).
      cancellation.settleAll()
      cancellation.fire(&self)
    }
    withWaiting { $0.left = [] }
    for hooks in waiting?.hooks ?? [] { hooks.run() }
  }

  /// Fires one promise, and releases it.
  @inline(__always)
  mutating func fire(_ settled: consuming Settled) {
    let promise = settled.promise
    fireRetained(settled)
    // Not after the promise, because the optimiser would retain that once more.
    _ = consume settled
    promise.release()
  }

  /// Fires one promise, which the caller retains: steps 5 to 8 of a settlement.
  @inline(__always)
  mutating func fireRetained(_ settled: Settled) {
    settled.promise.with { promise in
      // Nothing was attached, and nothing was left.
      if promise.relaxedState.isClosed { return }
      leaveFollowed(by: settled)
      settled.leftovers?.announceEnd(of: promise)
      promise.fire(settled.entries, &self)
      promise.close(&self)
      if let leftovers = settled.leftovers { end(leftovers, of: promise) }
    }
  }

  /// Collects the hooks of a settled promise.
  private mutating func end(_ leftovers: Leftovers, of promise: AnyPromise) {
    leftovers.finish?.release()
    var due = DueHooks(of: hookPlace)
    due.add(leftovers.hooks, of: promise, heldBy: leftovers.finish)
    if let combination = leftovers.combination { due.keep(combination) }
    append(due)
  }

  /// Leaves the promises that a settled promise has followed (rule 3.4), unless it has left them before.
  private mutating func leaveFollowed(by settled: Settled) {
    if let leftovers = settled.leftovers { leave(leftovers.follows.compactMap { $0.detach() }) }
  }

  /// Leaves promises for which a settled promise waited. Nothing is told of the settlement and nothing is fired before,
  /// because the settled promise is no consumer any more when a handler gives the same promises up (rule 4.0).
  private mutating func leave(_ departures: [Departure]) {
    if departures.isEmpty { return }
    withWaiting { $0.left += departures }
    for departure in departures {
      guard let unobserved = departure.leave() else { continue }
      let cancellation = Cancellation(ofUnobserved: unobserved, hooksRun: hookPlace)
      withWaiting { $0.unobserved.append(cancellation) }
    }
  }

  /// Leaves promises at once, or gives them up later, because the settlement of `settler` made them useless (rule
  /// 4.8). If `settler` was cancelled, what is given up learns its error as the reason.
  ///
  /// - Parameter finish: waits for what is given up, if that is settled thereby. It has a hold, which is released when
  ///   this is known (rule 2.11).
  mutating func leave(
    _ departures: [Departure], givingUp: Bool, because settler: AnyPromise, heldBy finish: Finish? = nil
  ) {
    if departures.isEmpty || !givingUp {
      leave(departures)
      finish?.release()
      return
    }
    let state = settler.acquiredState
    let error = state.isCancelled || state.isEndedByCall ? settler.storedError : nil
    var cancellation = Cancellation(because: error ?? CancellationError(), hooksRun: hookPlace)
    for departure in departures { cancellation.add(departure, givingUp: true) }
    cancellation.unfinished.dependent = finish
    withWaiting { $0.givenUp.append(cancellation) }
  }

  /// Does what follows from the run of an observer of `settler`.
  @inline(never)
  mutating func carryOut(_ consequence: Consequence, because settler: AnyPromise) {
    let combination = consequence.combination
    let outcome = consequence.outcome
    let result = combination.result
    // The result has not finished before all inputs that are settled have, and those that it gives up (rule 2.11).
    result.staysUnfinished(untilSettled: combination.inputs)
    let finish = consequence.givesUp ? result.holdFinish() : nil
    // If another thread has settled the result, that thread ends the combination.
    guard let settled = result.settle(with: outcome, trail: result.newTrail(of: outcome)) else {
      finish?.release()
      return
    }
    settled.promise.retain()
    append(settled)
    let departures = combination.end(handlingInAdvance: true, givingUpOthers: consequence.givesUp, heldBy: finish)
    leave(departures, givingUp: consequence.givesUp, because: settler, heldBy: finish)
  }
}

extension AnyPromise {
  /// Fires the entries of this settled promise in order. Jobs for contexts with the same identity are scheduled
  /// together.
  @inline(__always)
  final func fire(_ entries: consuming EntryList, _ queue: inout FiringQueue) {
    var entries = entries
    if entries.hasOne {
      if let entry = entries.popFirst() { fire(entry, &queue) }
    } else if !entries.isEmpty {
      fireMany(entries, &queue)
    }
  }

  @inline(never)
  private func fireMany(_ list: EntryList, _ queue: inout FiringQueue) {
    var entries = list
    var groups = ContextGroups<JobBatch>()
    while let entry = entries.popFirst() {
      guard let context = activate(entry, &queue) else { continue }
      let job = UncheckedJob(entry)
      if groups.isEmpty, context.identity == nil {
        // Scheduled at once, because no earlier job is waiting in a group.
        context.scheduleUnchecked(job)
      } else {
        groups.add(job, on: context)
      }
    }
    groups.schedule()
  }

  /// Fires one entry. Takes over the reference to it.
  @inline(__always)
  final func fire(_ entry: PromisePointer, _ queue: inout FiringQueue) {
    activate(entry, &queue)?.scheduleUnchecked(UncheckedJob(entry))
  }

  /// Marks this promise as closed, after it has fired what was attached meanwhile.
  @inline(__always)
  final func close(_ queue: inout FiringQueue) {
    let state = lock()
    if state.isClosed { return unlock(state) }
    guard let side else { return unlock(state.becomingClosed().becomingFinished()) }
    if side.late.isEmpty { return unlockClosed(state) }
    unlock(state)
    closeWithLateEntries(&queue)
  }

  /// Ends the last section of a settlement.
  private func unlockClosed(_ state: StateWord) {
    let closed = state.becomingClosed()
    unlock(side?.finish == nil ? closed.becomingFinished() : closed)
  }

  /// Fires what was attached meanwhile, and then marks this promise as closed.
  ///
  /// Other threads may attach entries as fast as this thread fires them. Then the rest is left to the pool after some
  /// rounds, so that the call that has settled this promise ends.
  @inline(never)
  private func closeWithLateEntries(_ queue: inout FiringQueue) {
    for _ in 0..<64 {
      let state = lock()
      let late = sideTable.late
      if late.isEmpty { return unlockClosed(state) }
      sideTable.late = EntryList()
      unlock(state)
      fire(late, &queue)
    }
    closeOnPool()
  }

  private func closeOnPool() {
    let entry = Entry<Never>(startingAt: site, [.isObserver, .value])
    entry.start(
      on: DetachedContext.pool,
      HandlerBody { [self] _, _ in
        var queue = FiringQueue()
        closeWithLateEntries(&queue)
        queue.fireAll()
        return .nothing
      },
      source: nil)
  }

  /// Prepares an entry for its context, and returns the context. The caller schedules the job, which takes over the
  /// reference to the entry. Returns `nil` if no handler runs. Then the outcome was passed on, if the entry takes it,
  /// and the reference is used up.
  @inline(__always)
  private func activate(_ entry: PromisePointer, _ queue: inout FiringQueue) -> (any ExecutionContext)? {
    let outcome = relaxedState
    // Relaxed, because the thread that has ended the entry decides for what it waits.
    if outcome.isUnfinished, entry.with({ $0.relaxedState.stage != .ended }) { entry.with { passFinish(to: $0) } }
    return entry.with { entry in
      var state = entry.lock()
      let traits = entry.traits
      guard state.stage == .waiting, traits.handles(outcome), unsafe entry.link.pointee.body != nil,
        !state.isDone || traits.contains(.always) || outcome.isRejected,
        let context = unsafe entry.link.pointee.context.take()
      else {
        activateNothing(entry, state, outcome, &queue)
        return nil
      }
      // From now on the entry retains its source.
      PromisePointer(self).retain()
      state.stage = .scheduled
      let unneeded = traits.contains(.forks) ? entry.takeUnneededBody(outcome) : nil
      entry.unlock(state)
      _ = consume unneeded
      return context
    }
  }

  /// Ends a locked entry that has no handler for the outcome of this promise: passes the outcome on, runs an observer
  /// of the library, or does nothing. Uses up the reference to the entry.
  @inline(never)
  private func activateNothing(
    _ entry: AnyPromise, _ state: StateWord, _ outcome: StateWord, _ queue: inout FiringQueue
  ) {
    var new = state
    let traits = entry.traits
    let isWaiting = state.stage == .waiting || state.stage == .adopting
    let body = unsafe entry.link.pointee.body.take()
    let unneeded = unsafe (entry.link.pointee.context.take(), traits.contains(.forks) ? entry.takeValueBody() : nil)
    defer { withExtendedLifetime((body, unneeded)) {} }
    unsafe entry.link.pointee.source = nil
    new.stage = .ended
    if !isWaiting || state.isDone {
      // The entry was cancelled, detached or taken back.
      entry.unlockEnded(new)
      return PromisePointer(entry).release()
    }
    guard traits.contains(.isObserver) else {
      if let body, traits.handles(outcome) {
        new.stage = .running
        entry.unlock(new)
        // A link of the library that transforms a value without a context.
        entry.finish(with: body(self, entry), from: self, &queue)
        return PromisePointer(entry).release()
      }
      if outcome.isRejected {
        let shares = state.isAdopter ? entry.keptShares : nil
        entry.unlock(new)
        return reject(entry, outcome, shares, &queue)
      }
      return queue.append(entry.settle(new, with: .value(copyValue())))
    }
    entry.unlockEnded(new)
    if traits.contains(.follows) {
      // Safe, because only a `Follower` has this trait.
      let follower = unsafe unsafeDowncast(entry, to: Follower.self)
      // If the follower was cancelled at this moment, it has taken the duty even so (rule 7.1).
      if !pass(outcome, toFollowing: follower.promise, by: follower, &queue), follower.givesUp { markDutyPassed() }
    } else if unneeded.0 == nil, traits.handles(outcome), let body {
      if case .entails(let consequence) = body(self, entry) { queue.carryOut(consequence, because: self) }
    }
    PromisePointer(entry).release()
  }

  /// Passes the rejection of this promise on to an entry, unless that is cancelled at this moment. Uses up the
  /// reference to the entry.
  private func reject(
    _ entry: AnyPromise, _ outcome: StateWord, _ shares: ProgressShares?, _ queue: inout FiringQueue
  ) {
    let settled = entry.settle(
      with: passedOutcome(outcome, shares: shares),
      trail: Diagnostics.recordsRejectionTrails ? trail?.passed(to: entry) : nil)
    markDutyPassed(to: entry)
    if let settled { queue.append(settled) } else { PromisePointer(entry).release() }
  }

  /// Makes `body` the handler for the outcome, and returns the other handler. Under the lock.
  private func takeUnneededBody(_ outcome: StateWord) -> HandlerBody? {
    let valueBody = takeValueBody()
    if outcome.isRejected { return valueBody }
    defer { unsafe link.pointee.body = valueBody }
    return unsafe link.pointee.body
  }
}

/// The jobs of one settlement for one context.
private struct JobBatch: ContextGroup {
  let context: any ExecutionContext
  private var jobs: [UncheckedJob]

  init(_ job: UncheckedJob, on context: any ExecutionContext) {
    self.context = context
    jobs = [job]
  }

  mutating func add(_ job: UncheckedJob) { jobs.append(job) }

  func schedule() {
    if jobs.count == 1 {
      context.scheduleUnchecked(jobs[0])
    } else {
      context.scheduleUnchecked(batch: jobs)
    }
  }
}
