import Synchronization

// Every outcome takes three steps. A thread claims the promise, publishes the payload, and fires the reactions. These
// are loops, and nothing here calls itself, however long a chain is.

extension AnyPromise {
  /// Wins the right to settle this promise. Returns `false` if another thread has it, or if this promise was collapsed.
  @usableFromInline
  final func claim(_ claim: StateWord.Claim) -> Bool {
    var old = relaxedState
    while let new = old.claim(claim) {
      // Sequentially consistent: pairs with the publication of an edge in `AdoptingReaction.wait`. An adopter publishes
      // its edge and then checks whether its promise was claimed. A canceller claims the promise and then looks for the
      // edge. One of the two sees the other (rule 4.4).
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged { return true }
      old = StateWord(bits: found)
    }
    return false
  }

  /// Claims this promise and writes an error. The caller publishes the promise.
  @usableFromInline
  final func claim(rejecting error: any Error, cancelled: Bool) -> Bool {
    guard claim(.rejecting(cancelled: cancelled)) else { return false }
    store(error)
    beginTrail()
    return true
  }

  /// Claims this promise and writes an error that a handler threw or an owner rejected with. The caller publishes the
  /// promise.
  @usableFromInline
  final func claim(rejecting error: any Error) -> Bool {
    claim(rejecting: error, cancelled: error is CancellationError)
  }

  /// Publishes this promise: makes the payload readable, schedules the handlers, and settles the promises to which the
  /// outcome only passes.
  ///
  /// Reactions of this promise are fired in the order of attachment, further ones breadth first. The caller has claimed
  /// this promise and has written the payload.
  @usableFromInline
  final func publish() {
    endProgress()
    var settlement = Settlement()
    publish(settledBy: nil, during: &settlement)
    settlement.complete()
  }

  /// Publishes this promise in the course of a settlement.
  ///
  /// The progress of this promise has ended when it was claimed, because other promises that are rejected in the same
  /// settlement may ask for it (rule 5.2).
  ///
  /// - Parameter settler: the reaction that settles this promise, if that holds the only reference to it.
  final func publish(settledBy settler: Reaction?, during settlement: inout Settlement) {
    let publication = publishTakingReactions()
    if case .drain(let reactions) = publication { drain(reactions, settledBy: settler, during: &settlement) }
    // After the reactions were fired, because a hook that is released may run a `deinit` of the client.
    endHooks(in: settlement.hookPlace)
  }

  enum Publication {
    /// These reactions waited. The caller must drain them.
    case drain(ReactionList)
    /// No reaction waited, so the promise is closed.
    case closed
    /// The list is borrowed. The thread that prunes it drains it.
    case leftToPruner
  }

  /// Makes the payload readable, and takes the reactions that wait.
  final func publishTakingReactions() -> Publication {
    var old = relaxedState
    while true {
      let publication = old.publish()
      let new =
        switch publication {
        case .drain(let word, _), .close(let word), .leaveToPruner(let word): word
        }
      // Releases the payload. Pairs with the acquiring load in `AnyPromise.acquiredState`. Acquires the reactions that
      // were pushed, which this thread now owns. Sequentially consistent, because of the side table, see
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

  /// Fires a list and everything that is pushed meanwhile, then closes the promise.
  ///
  /// - Parameter settler: as for `publish`. Used for the first list only.
  final func drain(_ list: consuming ReactionList, settledBy settler: Reaction?, during settlement: inout Settlement) {
    var list = list
    var predecessor = settler
    while true {
      fire(&list, inPlaceOf: predecessor, during: &settlement)
      // Reactions that are pushed later come from clients that retain this promise.
      predecessor = nil
      var old = relaxedState
      retry: while true {
        let closing = old.close()
        let new =
          switch closing {
          case .closed(let word), .drain(let word, _): word
          }
        // Releases what was done before to a thread that sees `closed`. Acquires the reactions that were pushed, which
        // this thread now owns. Sequentially consistent: pairs with the load in `showToWalks`.
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
  /// Fires reactions in order. Jobs for contexts with the same identity are scheduled together.
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

  /// Fires one reaction of a settled promise: schedules its handler, or passes the outcome on.
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

  /// Prepares a reaction for its context, and returns the context. Returns `nil` if the reaction was detached. The
  /// caller then releases it.
  private func activate(_ reaction: Reaction, inPlaceOf settler: Reaction?) -> (any ExecutionContext)? {
    // Read before the mark, because afterwards another thread may write a place into the same field.
    let context = reaction.storedContext
    guard reaction.markFired() else { return nil }
    // A settled target has left this promise, or has a place of its own in the tree.
    let isUnsettled = unsafe reaction.targetReference?._withUnsafeGuaranteedRef { !$0.stateInOrder.isDone } ?? false
    if isUnsettled { place(reaction, inPlaceOf: settler) }
    return context?.take()
  }

  /// Whether the reaction has a handler for the outcome of this promise that runs on a context.
  private func handles(_ reaction: Reaction) -> Bool {
    reaction.traits.contains(relaxedState.isRejected ? .error : .value) && reaction.hasContext
  }
}
