// The entries of a settled promise are fired: their handlers are scheduled, or the outcome is passed on.

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
    var batches = JobBatches()
    while let entry = entries.popFirst() {
      if let context = activate(entry, &queue) { batches.add(UncheckedJob(entry), on: context) }
    }
    batches.schedule()
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
      let follower = unsafe unsafeDowncast(entry, to: Follower.self)
      // If the follower was cancelled at this moment, it has taken the duty even so (rule 7.1).
      if !pass(outcome, toFollowing: follower.promise, by: follower, &queue), follower.givesUp { markDutyPassed() }
    } else if unneeded.0 == nil, traits.handles(outcome), let body {
      if case .decides(let decision) = body(self, entry) { queue.carryOut(decision, because: self) }
    }
    PromisePointer(entry).release()
  }

  /// Passes the rejection of this promise on to an entry, unless that is cancelled at this moment. Uses up the
  /// reference to the entry.
  private func reject(
    _ entry: AnyPromise, _ outcome: StateWord, _ shares: ProgressShares?, _ queue: inout FiringQueue
  ) {
    let settled = entry.settle(
      with: passedOutcome(outcome, shares: shares), trail: Diagnostics.isTracing ? trail?.passed(to: entry) : nil)
    markDutyPassed(to: entry)
    if let settled { queue.append(settled) } else { PromisePointer(entry).release() }
  }

  /// Passes the outcome of this promise on to a promise that follows it. Returns `false` if that was settled before.
  ///
  /// - Parameter follower: the entry by which that promise has waited, if it has.
  final func pass(
    _ outcome: StateWord, toFollowing promise: AnyPromise, by follower: Follower? = nil, _ queue: inout FiringQueue
  ) -> Bool {
    let passed = passedOutcome(outcome, shares: ProgressShares(amount: 0, share: promise.weight))
    let trail = outcome.isRejected && Diagnostics.isTracing ? trail?.passed(to: promise, by: follower) : nil
    // The others that the promise follows may be settled, too, and may not have finished.
    if Finish.isUsed, promise.followsOthers(than: follower) {
      promise.staysUnfinished(untilSettled: promise.followed)
    }
    guard let settled = promise.settle(with: passed, trail: trail) else { return false }
    settled.promise.retain()
    queue.append(settled)
    if outcome.isRejected { markDutyPassed(to: promise) }
    return true
  }

  /// The outcome of this settled promise, for another promise of the same type (rules 1.2 and 7.1).
  ///
  /// - Parameters:
  ///   - isHandled: whether a rejection was just handled.
  ///   - shares: how the other promise measures the progress of this one. `nil` for a promise that has the same amount.
  final func passedOutcome(_ state: StateWord, isHandled: Bool = false, shares: ProgressShares? = nil) -> Outcome {
    guard state.isRejected else { return .value(copyValue()) }
    let done = doneAmount
    return .error(
      payload.error, cancelled: state.isCancelled, handled: isHandled || state.hasArrivedHandled,
      amount: shares.map { $0.amount + $0.share * done / weight } ?? done)
  }

  /// Makes `body` the handler for the outcome, and returns the other handler. Under the lock.
  private func takeUnneededBody(_ outcome: StateWord) -> HandlerBody? {
    let valueBody = takeValueBody()
    if outcome.isRejected { return valueBody }
    defer { unsafe link.pointee.body = valueBody }
    return unsafe link.pointee.body
  }
}

extension FiringQueue {
  /// Does what an observer of `settler` has decided.
  mutating func carryOut(_ decision: Decision, because settler: AnyPromise) {
    var departures = decision.departures
    if let (combination, outcome) = decision.settles {
      let result = combination.result
      // The result has not finished before all inputs that are settled have, and those that it gives up (rule 2.11).
      result.staysUnfinished(untilSettled: combination.inputs)
      let finish = decision.givesUp ? result.holdFinish() : nil
      // If another thread has settled the result, that thread ends the combination.
      guard let settled = result.settle(with: outcome, trail: result.newTrail(of: outcome)) else {
        finish?.release()
        return
      }
      settled.promise.retain()
      append(settled)
      departures += combination.end(handlingInAdvance: true, givingUpOthers: decision.givesUp, heldBy: finish)
      return leave(departures, givingUp: decision.givesUp, because: settler, heldBy: finish)
    }
    leave(departures, givingUp: decision.givesUp, because: settler)
  }
}

/// Collects the jobs of one settlement, grouped by the identities of their contexts (rule 2.2).
private struct JobBatches {
  private struct Batch {
    let context: any ExecutionContext
    var jobs: [UncheckedJob]
  }

  private var batches: [Batch] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The index of the batch to which the last job was added, if other jobs may join that batch. The next job usually
  /// has the same context, which then need not be asked for its identity.
  private var last: Int?

  /// Adds a job to the batch of its context, or as a batch of its own if the context has no identity.
  mutating func add(_ job: UncheckedJob, on context: any ExecutionContext) {
    if let last, batches[last].context === context { return batches[last].jobs.append(job) }
    guard let identity = context.identity else {
      // Scheduled at once if no earlier job is still waiting in a batch.
      if batches.isEmpty { return context.scheduleUnchecked(job) }
      batches.append(Batch(context: context, jobs: [job]))
      last = nil
      return
    }
    if let index = indices[identity] {
      batches[index].jobs.append(job)
      last = index
    } else {
      last = batches.count
      indices[identity] = batches.count
      batches.append(Batch(context: context, jobs: [job]))
    }
  }

  /// Schedules the batches, in the order of their first jobs.
  consuming func schedule() {
    for batch in batches {
      if batch.jobs.count == 1 {
        batch.context.scheduleUnchecked(batch.jobs[0])
      } else {
        batch.context.scheduleUnchecked(batch: batch.jobs)
      }
    }
  }
}
