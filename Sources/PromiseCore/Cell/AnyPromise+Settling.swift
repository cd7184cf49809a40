import Synchronization

// Claim, publish, fire: the way of every outcome. All loops; nothing here calls itself, however long a chain is.

extension AnyPromise {
  /// Wins the right to settle, or answers `false`: somebody else has it.
  @usableFromInline
  final func claim(_ claim: StateWord.Claim) -> Bool {
    var old = cellHint
    while let new = old.claim(claim) {
      // Sequentially consistent: an adopter publishes its edge and then looks whether its promise was claimed; a
      // canceller claims and then looks for the edge. One of them must see the other (rule 4.4).
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged { return true }
      old = StateWord(bits: found)
    }
    return false
  }

  /// Claims and writes an error. The caller publishes.
  @usableFromInline
  final func claim(rejecting error: any Error, cancelled: Bool) -> Bool {
    guard claim(.rejecting(cancelled: cancelled)) else { return false }
    store(error)
    beginTrail()
    return true
  }

  /// Claims and writes an error that a user threw or rejected with. The caller publishes.
  @usableFromInline
  final func claim(rejecting error: any Error) -> Bool {
    claim(rejecting: error, cancelled: error is CancellationError)
  }

  /// Makes the payload readable, then schedules the handlers and settles what only passes the outcome on, in the order of
  /// attachment and, beyond this promise, breadth first. The caller has claimed, and has written the payload.
  @usableFromInline
  final func publish() {
    endProgress()
    var settlement = Settlement()
    publish(settledBy: nil, during: &settlement)
    settlement.complete()
  }

  /// The same in the course of a settlement, for which the progress of this promise was ended when it was claimed: what else that rejects
  /// may ask how far this one had come (rule 5.2).
  ///
  /// - Parameter settler: the reaction that settles this promise, if it holds the only reference to it.
  final func publish(settledBy settler: Reaction?, during settlement: inout Settlement) {
    let publication = publishTakingReactions()
    endSideTable()
    if case .drain(let reactions) = publication { drain(reactions, settledBy: settler, during: &settlement) }
  }

  enum Publication {
    /// These reactions waited: the caller must drain them.
    case drain(ReactionList)
    /// None did.
    case closed
    /// The list is being pruned: the thread that does it drains it.
    case leftToPruner
  }

  /// Makes the payload readable and takes the reactions that wait.
  final func publishTakingReactions() -> Publication {
    var old = cellHint
    while true {
      let publication = old.publish()
      let new =
        switch publication {
        case .drain(let word, _), .close(let word), .leaveToPruner(let word): word
        }
      // Releasing: the payload becomes readable. Acquiring: the reactions that were pushed become ours. Sequentially consistent: see
      // `SideReference`.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        switch publication {
        case .drain(_, let list): return .drain(ReactionList(newest: list))
        case .close:
          hideFromWalks()
          return .closed
        case .leaveToPruner: return .leftToPruner
        }
      }
      old = StateWord(bits: found)
    }
  }

  /// This promise was published: what its side table holds is told, or let go.
  final func endSideTable() {
    guard side.table != nil else { return }
    endCancelHooks()
  }

  /// Fires a list and whatever is pushed meanwhile, and closes the promise.
  ///
  /// - Parameter settler: as for `publish`; these were the first reactions.
  final func drain(_ list: consuming ReactionList, settledBy settler: Reaction?, during settlement: inout Settlement) {
    var list = list
    var predecessor = settler
    while true {
      fire(&list, inPlaceOf: predecessor, during: &settlement)
      // Reactions that are pushed later come from clients that hold this promise.
      predecessor = nil
      var old = cellHint
      retry: while true {
        let closing = old.close()
        let new =
          switch closing {
          case .closed(let word), .drain(let word, _): word
          }
        // Releasing: a thread that sees `closed` sees what was done before. Acquiring: the reactions that were pushed become ours.
        // Sequentially consistent: pairs with the load in `showToWalks`.
        let (exchanged, found) = word.compareExchange(
          expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
        guard exchanged else {
          old = StateWord(bits: found)
          continue
        }
        switch closing {
        case .closed: return hideFromWalks()
        case .drain(_, let newest):
          list = ReactionList(newest: newest)
          break retry
        }
      }
    }
  }
}

// MARK: - Firing

extension AnyPromise {
  /// Fires reactions in order. Those that share a context with an identity travel together.
  private func fire(_ list: inout ReactionList, inPlaceOf settler: Reaction?, during settlement: inout Settlement) {
    if list.hasOne {
      if let reaction = list.popFirst() { fire(consume reaction, inPlaceOf: settler, during: &settlement) }
      return
    }
    settlement.carryOutRequests(in: list, below: self)
    var batches = JobBatches()
    while let reaction = list.popFirst() {
      if handles(reaction) {
        if let context = activate(reaction, inPlaceOf: nil) { batches.add(Job(consume reaction), on: context) }
      } else {
        fire(consume reaction, inPlaceOf: nil, during: &settlement)
      }
    }
    batches.schedule()
  }

  /// Fires one reaction of a settled promise: schedules its handler, or lets the outcome pass.
  ///
  /// - Parameter settler: see `place`.
  final func fire(_ reaction: consuming Reaction, inPlaceOf settler: Reaction?, during settlement: inout Settlement) {
    if handles(reaction) {
      if let context = activate(reaction, inPlaceOf: settler) { context.schedule(Job(consume reaction)) }
    } else if reaction.traits.contains(.requests) {
      settlement.carryOut(reaction.asRequest, below: self)
    } else if reaction.pass(outcomeOf: self, inPlaceOf: settler, during: &settlement) {
      settlement.passed.append(consume reaction)
    }
  }

  /// The reaction is about to be given to its context, which is returned. `nil`: it was detached, and goes.
  private func activate(_ reaction: Reaction, inPlaceOf settler: Reaction?) -> (any ExecutionContext)? {
    let isAlways = reaction.traits.contains(.always)
    // A thread that detaches an `always` before it is fired may take its context. The contexts of other reactions are only taken here.
    var context = isAlways ? nil : reaction.takeContext()
    guard reaction.markFired() else { return nil }
    if isAlways {
      context = reaction.takeContext()
      reaction.markContextTaken()
    }
    // A settled target has left this promise, or has a place of its own.
    let isUnsettled = unsafe reaction.targetReference?._withUnsafeGuaranteedRef { !$0.cellInOrder.isDone } ?? false
    if isUnsettled { place(reaction, inPlaceOf: settler) }
    return context
  }

  /// The reaction has a handler for the outcome of this promise, to be run on a context.
  private func handles(_ reaction: Reaction) -> Bool {
    reaction.traits.contains(cellHint.isRejected ? .error : .value) && reaction.context != nil
  }
}

extension Reaction {
  /// Hands the outcome of `settler`, the source or an adopted promise, to the target without running a handler. `true`: the
  /// target waits to be published.
  final func pass(
    outcomeOf settler: AnyPromise, inPlaceOf predecessor: Reaction?, during settlement: inout Settlement
  ) -> Bool {
    guard winPassing(from: settler) else { return false }
    // A forward has no context, but may have a place.
    let isForward = traits.contains(.forwards)
    if !isForward { _ = takeContext() }
    markFired()
    // Looked at before it is held here.
    let isTargetAlone = holdsOnlyReferenceToTarget
    // An observer without interest in this outcome.
    guard let target else {
      runInline(on: settler, during: &settlement)
      return false
    }
    guard claim(target, withOutcomeOf: settler) else {
      end(target)
      return false
    }
    target.endProgress(of: traits.contains(.forwards) ? settler : nil)
    if traits.contains(.adopts) { markSettledTarget() }
    // A target without reactions that only this reaction holds will never have any.
    if !isForward, !isTargetAlone || target.hasReactions { settler.place(self, inPlaceOf: predecessor) }
    return true
  }

  private func claim(_ target: AnyPromise, withOutcomeOf settler: AnyPromise) -> Bool {
    let body = takeBody()
    if let error = settler.storedError { return target.claim(passing: error, from: settler) }
    if let body, case .settled = body(settler, target) { return true }
    return false
  }

  /// An observer that runs where the promise is settled: a waiter of the library's own, never a user's handler.
  private func runInline(on source: AnyPromise, during settlement: inout Settlement) {
    guard traits.contains(source.cellHint.isRejected ? .error : .value), let body = takeBody() else { return }
    if case .settles(let promise, let departures) = body(source, source) {
      if let promise { settlement.publish(promise) }
      settlement.giveUp(departures, because: source)
    }
  }

  /// A forward is won by retiring its edge to the adopted promise, any other reaction by starting it.
  private func winPassing(from source: AnyPromise) -> Bool {
    if traits.contains(.forwards) { return asAdopting.adopted.retire(location(of: source)) == .ended }
    let before = start()
    return !before.isStarted && !before.isDetached
  }

  /// Safe: the trait is set for that class only.
  final var asAdopting: AdoptingReaction { unsafe unsafeDowncast(self, to: AdoptingReaction.self) }

  /// The same for a reaction that is read through a pin: no reference is counted.
  final func withAdopting<Result>(_ body: (AdoptingReaction) -> Result) -> Result {
    unsafe Unmanaged<AdoptingReaction>.at(location(of: self))._withUnsafeGuaranteedRef(body)
  }

  final func takeBody() -> ReactionBody? {
    body.take()
  }

  /// The target is claimed and its payload written, by this reaction.
  final func publishTarget(during settlement: inout Settlement) {
    let isAlone = holdsOnlyReferenceToTarget
    unsafe targetReference?._withUnsafeGuaranteedRef { target in
      // Before it is published: it is settled by this reaction, and no consumer of what else it follows (rules 3.4 and 4.4).
      for departure in stopSettling(target) { departure.leave() }
      let isInFamily = inheritFamily(to: target, isAlone: isAlone)
      target.publish(settledBy: isAlone ? self : nil, during: &settlement)
      if isInFamily { leaveFamily(hasSettled: true, isAlone: isAlone) }
      dropTarget()
    }
  }

  /// The reaction has done what it was for. Its target was claimed by another thread, which leaves what the target follows.
  final func end(_ target: AnyPromise) {
    // Before the reaction is retired: a thread that has claimed the target finds this reaction, or finds that the target has its place.
    leaveFamily(hasSettled: false)
    if traits.contains(.adopts) {
      asAdopting.stepDown(from: target)
    } else {
      _ = target.producer.retire(location(of: self))
    }
    dropTarget()
  }

  /// This reaction has claimed the target, which must not refer to it any more. Returns what the target follows no more.
  private func stopSettling(_ target: AnyPromise) -> ShortList<Departure> {
    let isNewest = target.producer.retire(location(of: self)) == .ended
    guard traits.contains(.adopts) else { return ShortList() }
    return isNewest ? asAdopting.previousFollow?.takeAll() ?? ShortList() : target.takeAdopted()
  }
}
