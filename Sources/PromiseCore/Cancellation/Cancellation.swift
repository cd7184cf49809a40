/// One call of `cancel`, or anything with the same effect, as a loop (rules 4.2 to 4.4).
///
/// It settles promises if they are pending, and everything that is pending below them, also below settled promises.
/// Then it gives up what these waited for.
///
/// 1. *Claim*. Every promise that is found is claimed and published, but no handler is scheduled yet. So no handler can
///    turn the cancellation of what was below into a value.
/// 2. *Fire*. The rejection handlers of the claimed promises are scheduled. Then the hooks of the owners run, under no
///    lock (rule 4.5).
///
/// If another thread is settling a promise at this moment, a request is left in the list of that promise, and that
/// thread carries it out (rule 4.3). As the other thread may have fired reactions meanwhile, this call looks again
/// below the settled promises through which it came, until it finds nothing new.
///
/// A promise that was given up has no consumer left when it is claimed, which is one atomic step. So nothing pending is
/// below it. What is attached to it from then on sees an ordinary rejection.
struct Cancellation {
  private let reason: any Error
  // Usually these lists have one element or none.

  /// Promises that were found and are still to be visited.
  private var found = ShortList<Found>()
  /// Promises that this cancellation has claimed and published, with the reactions that it must fire.
  private var claimed = ShortList<(promise: AnyPromise, reactions: ReactionList)>()
  /// The first `known.count` elements of `claimed`. Filled only when `isClaimedHere` needs it.
  private var known: Set<ObjectIdentifier> = []
  /// Claimed promises with a side table, which may have hooks.
  private var hooked = ShortList<AnyPromise>()
  /// Settled promises below which this cancellation looks.
  private var settled = ShortList<AnyPromise>()
  /// Promises that were found below settled ones.
  private var seen: Set<ObjectIdentifier> = []
  /// Promises that were given up and kept going by another consumer. That consumer may be one that this cancellation
  /// settles, and which only leaves, as a shield does.
  private var kept = ShortList<AnyPromise>()
  /// Created with the first request. If this cancellation carries out a request, the call of that request.
  private var call: CancelCall?

  @inline(never)
  private init(because reason: any Error) { self.reason = reason }

  init(of promise: AnyPromise, reason: any Error, upstream: Bool) {
    self.init(of: ShortList(promise), reason: reason, upstream: upstream)
  }

  /// Cancels promises by name.
  init(of promises: ShortList<AnyPromise>, reason: any Error, upstream: Bool) {
    self.init(because: reason)
    promises.forEachElement { found.append(.named($0, upstream: upstream)) }
  }

  /// Gives promises up. Each departure stands for one consumer.
  init(givingUp departures: [Departure], reason: any Error) {
    self.init(because: reason)
    for departure in departures { found.append(.departure(departure)) }
  }

  init(givingUp departures: ShortList<Departure>, reason: any Error) {
    self.init(because: reason)
    departures.forEachElement { found.append(.departure($0)) }
  }

  /// Publishes a promise whose time limit has expired, and which was claimed for that. Then gives up what it waited
  /// for.
  init(ending promise: AnyPromise, givingUp departures: ShortList<Departure>, reason: any Error) {
    self.init(givingUp: departures, reason: reason)
    if let reactions = publish(promise) { claimed.append((promise, reactions)) }
  }

  /// Cancels what is below a promise on behalf of another thread, which has left a request there.
  init(below settled: AnyPromise, besides targets: [AnyPromise], reason: any Error, requestedBy call: CancelCall) {
    self.init(because: reason)
    self.call = call
    self.settled.append(settled)
    for promise in targets { found.append(.below(promise, isAlone: false)) }
  }

  /// - Parameter hookPlace: where the hooks of the owners run. Only a program's call of `cancel` runs them itself.
  consuming func run(hooksRun hookPlace: DueHooks.Place = .elsewhere) {
    claim()
    var settlement = Settlement(hooksRun: hookPlace)
    fire(during: &settlement)
    settlement.complete()
  }

  /// Claims and publishes everything that is found.
  mutating func claim() {
    repeat {
      while let next = found.popLast() { visit(next) }
      for index in 0..<settled.count { findPromises(below: settled[index]) }
      if found.isEmpty { giveUpKept() }
    } while !found.isEmpty
  }

  /// Gives up the promises that this cancellation has given up before, and that have lost their last consumer since
  /// (rule 4.4).
  private mutating func giveUpKept() {
    while let promise = kept.popLast() {
      guard promise.resolved.stateInOrder.hasNoConsumer else { continue }
      found.append(.departure(Departure(promise: promise, isCounted: false, deadEntries: 0)))
    }
  }

  private mutating func findPromises(below settled: AnyPromise) {
    for promise in settled.promisesBelow() where seen.insert(ObjectIdentifier(promise)).inserted {
      found.append(.below(promise, isAlone: false))
    }
  }

  /// Schedules the handlers of the claimed promises, then runs or schedules the hooks. Cancellations that are caused
  /// thereby are fired by the settlement afterwards.
  consuming func fire(during settlement: inout Settlement) {
    claimed.forEachElement { $0.promise.drain($0.reactions, settledBy: nil, during: &settlement) }
    settlement.publishAll()
    if hooked.isEmpty { return }
    var hooks = DueHooks(of: settlement.hookPlace)
    hooked.forEachElement { hooks.takeHooks(of: $0) }
    hooks.run()
  }
}

// MARK: - Claiming

extension Cancellation {
  private mutating func visit(_ found: Found) {
    switch found {
    case .departure(let departure): carryOut(departure)
    case .named(let promise, let upstream):
      if promise.side.isClientPromise { return visit(promise.forwardee, upstream: upstream, isAlone: false) }
      // The caller had a weak reference to a promise that was not retained, and was collapsed. Its consumers wait
      // for its forwardee now.
      if promise.acquiredState.isForwarded {
        return carryOut(Departure(promise: promise.forwardee, isCounted: false, deadEntries: 0))
      }
      visit(promise, upstream: upstream, isAlone: false)
    case .below(let promise, let isAlone):
      // A collapsed promise need not be reached from its settled source any more (rule 3.3).
      if !promise.acquiredState.isForwarded { visit(promise, upstream: false, isAlone: isAlone) }
    }
  }

  /// Carries a departure out: gives the promise up, and cancels it if that was the last consumer (rule 4.4).
  private mutating func carryOut(_ departure: Departure) {
    var promise = departure.promise
    // A client may have asked for the promise meanwhile.
    if departure.isOfUnobserved, !promise.side.isUnobserved { return }
    while true {
      promise = promise.resolved
      switch promise.giveUp(departure) {
      case .forwarded: continue
      case .notClaimed: return kept.append(promise)
      case .claimed:
        prepare(promise, upstream: true, isAlone: false)
        // The promise had no consumers, so nothing is below it. Reactions that were pushed since then came too late.
        if let reactions = publish(promise) { claimed.append((promise, reactions)) }
        return
      }
    }
  }

  private mutating func visit(_ promise: AnyPromise, upstream: Bool, isAlone: Bool) {
    if promise.claim(.cancelling) {
      prepare(promise, upstream: upstream, isAlone: isAlone)
      // A thread that has borrowed the list may fire it as soon as the promise is published. The request makes that
      // thread cancel what is below.
      let request = promise.acquiredState.isPruning ? makeRequest(of: promise) : nil
      if let request { _ = promise.leaveRequest(request) }
      guard let reactions = publish(promise) else { return }
      request?.isDone = true
      reactions.addTargets(to: &found)
      claimed.append((promise, reactions))
    } else if promise.acquiredState.isClosed {
      settled.append(promise)
      findPromises(below: promise)
    } else if !isClaimedHere(promise), let request = makeRequest(of: promise) {
      // The settling thread carries the request out. The mark makes it give the promise a node for the reactions that
      // it fires. If it has just finished, the request cannot be left, and the promise is visited again.
      promise.family.markWanted()
      if !promise.leaveRequest(request) { found.append(.below(promise, isAlone: false)) }
    }
  }

  /// Writes the reason into a promise that was claimed as cancelled, and takes the promise away from everything for
  /// which it waited.
  private mutating func prepare(_ promise: AnyPromise, upstream: Bool, isAlone: Bool) {
    promise.store(reason)
    promise.beginTrail()
    promise.endProgress()
    promise.stayBelowSource(isAlone: isAlone)
    giveUpUpstream(of: promise, upstream: upstream)
  }

  /// Publishes a claimed promise, and returns the reactions that waited. Returns `nil` if there are none, or if another
  /// thread fires them.
  private mutating func publish(_ promise: AnyPromise) -> ReactionList? {
    let publication = promise.publishTakingReactions()
    if promise.side.table != nil { hooked.append(promise) }
    if case .drain(let reactions) = publication { return reactions }
    return nil
  }

  /// Makes a claimed promise give up what it has brought itself and, with `upstream`, its source or its inputs (rule
  /// 4.4). The departures are carried out after the promise has been published.
  private mutating func giveUpUpstream(of promise: AnyPromise, upstream: Bool) {
    var leaving = Leaving(upstream: upstream)
    leaving.takeAll(of: promise)
    leaving.departures.forEachElement { found.append(.departure($0)) }
  }

  /// Whether this cancellation has claimed the promise itself, and has not fired its reactions yet.
  private mutating func isClaimedHere(_ promise: AnyPromise) -> Bool {
    guard promise.acquiredState.isCancelledByCall else { return false }
    while known.count < claimed.count { known.insert(ObjectIdentifier(claimed[known.count].promise)) }
    return known.contains(ObjectIdentifier(promise))
  }

  /// Creates a request. Returns `nil` if this call has left one with the promise before.
  private mutating func makeRequest(of promise: AnyPromise) -> CancelRequest? {
    let call = call ?? CancelCall()
    self.call = call
    return call.isFirstRequest(of: promise) ? CancelRequest(reason, by: call) : nil
  }
}

/// A promise that a cancellation has found.
private enum Found {
  /// The promise is cancelled by name.
  case named(AnyPromise, upstream: Bool)
  /// The promise is below one that is cancelled. `isAlone` is `true` if only the reaction through which it was found
  /// holds it.
  case below(AnyPromise, isAlone: Bool)
  /// A promise is given up.
  case departure(Departure)
}

extension ReactionList {
  /// Adds the promises below that the reactions would settle.
  fileprivate func addTargets(to found: inout ShortList<Found>) {
    forEach { reaction in
      // Checked before `targetBelow` retains the target.
      let isAlone = !reaction.traits.contains(.forwards) && reaction.holdsOnlyReferenceToTarget
      if let target = reaction.targetBelow { found.append(.below(target, isAlone: isAlone)) }
    }
  }
}
