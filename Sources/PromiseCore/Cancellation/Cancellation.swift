/// One call of `cancel`, or what brings about the same: settles promises, if they are pending, and everything pending below them, also
/// through promises that are settled; and gives up what they waited for (rules 4.2 to 4.4). A loop, however deep the tree.
///
/// First every promise is claimed, and only then their rejection handlers are scheduled: no handler can turn the cancellation of what was
/// below into a value. Then the hooks of the owners run, under no lock (rule 4.5).
///
/// A promise that was given up has no consumer left when it is claimed, in one atomic step. So nothing pending is below it: what is
/// attached to it from then on sees an ordinary rejection.
///
/// Where another thread is settling a promise at this moment, the request is left in its list, and that thread carries it out
/// (rule 4.3). Then this call looks again below the settled promises through which it came, until it finds nothing new: the other
/// thread may have fired reactions meanwhile.
struct Cancellation {
  private let reason: any Error
  // Mostly there is one of each, or none.
  private var found = ShortList<Found>()
  private var claimed = ShortList<(promise: AnyPromise, reactions: ReactionList)>()
  /// Those claimed promises, from the first, that had to be looked up.
  private var known: Set<ObjectIdentifier> = []
  private var hooked = ShortList<AnyPromise>()
  private var settled = ShortList<AnyPromise>()
  /// What was found below settled promises.
  private var seen: Set<ObjectIdentifier> = []
  /// Made with the first request, or that which this carries out belongs to it.
  private var call: CancelCall?

  init(of promise: AnyPromise, reason: any Error, upstream: Bool) {
    self.init(of: CollectionOfOne(promise), reason: reason, upstream: upstream)
  }

  /// By name.
  init(of promises: some Sequence<AnyPromise>, reason: any Error, upstream: Bool) {
    self.reason = reason
    for promise in promises { found.append(.named(promise, upstream: upstream)) }
  }

  /// Gives promises up, each for one consumer.
  init(givingUp departures: some Sequence<Departure>, reason: any Error) {
    self.reason = reason
    for departure in departures { found.append(.departure(departure)) }
  }

  /// Publishes a promise that was claimed by an expired time limit, and then gives up what it waited for.
  init(ending promise: AnyPromise, givingUp departures: some Sequence<Departure>, reason: any Error) {
    self.init(givingUp: departures, reason: reason)
    if let reactions = publish(promise) { claimed.append((promise, reactions)) }
  }

  /// What is below a promise to which another thread could not go on.
  init(below settled: AnyPromise, besides targets: [AnyPromise], reason: any Error, requestedBy call: CancelCall) {
    self.call = call
    self.reason = reason
    self.settled.append(settled)
    for promise in targets { found.append(.below(promise, isAlone: false)) }
  }

  consuming func run() {
    claim()
    var settlement = Settlement()
    fire(during: &settlement)
    settlement.complete()
  }

  /// Claims and publishes whatever is found.
  mutating func claim() {
    repeat {
      while let next = found.popLast() { visit(next) }
      for promise in settled { look(below: promise) }
    } while !found.isEmpty
  }

  private mutating func look(below settled: AnyPromise) {
    for promise in settled.promisesBelow() where seen.insert(ObjectIdentifier(promise)).inserted {
      found.append(.below(promise, isAlone: false))
    }
  }

  /// Schedules the handlers of what was claimed, then runs the hooks. What cancellations this brings about the settlement lets fire
  /// after that.
  consuming func fire(during settlement: inout Settlement) {
    for (promise, reactions) in claimed { promise.drain(reactions, settledBy: nil, during: &settlement) }
    settlement.publishAll()
    for promise in hooked { promise.endSideTable() }
  }
}

// MARK: - Claiming

extension Cancellation {
  private mutating func visit(_ found: Found) {
    switch found {
    case .departure(let departure): complete(departure)
    case .named(let promise, let upstream):
      if promise.side.isClientPromise { return visit(promise.forwardee, upstream: upstream, isAlone: false) }
      // Reached by a weak reference: the promise was not retained, and what waited for it waits for another.
      if promise.cell.isForwarded {
        return complete(Departure(promise: promise.forwardee, isCounted: false, deadEntries: 0))
      }
      visit(promise, upstream: upstream, isAlone: false)
    case .below(let promise, let isAlone):
      // One that was collapsed need not be reached from its settled source any more (rule 3.3).
      if !promise.cell.isForwarded { visit(promise, upstream: false, isAlone: isAlone) }
    }
  }

  /// The last that gives a promise up cancels it (rule 4.4).
  private mutating func complete(_ departure: Departure) {
    var promise = departure.promise
    while true {
      promise = promise.resolved
      switch promise.giveUp(departure) {
      case .forwarded: continue
      case .goesOn: return
      case .claimed:
        prepare(promise, upstream: true, isAlone: false)
        // Nothing that waits for it is left to find: what has been pushed since came too late.
        if let reactions = publish(promise) { claimed.append((promise, reactions)) }
        return
      }
    }
  }

  private mutating func visit(_ promise: AnyPromise, upstream: Bool, isAlone: Bool) {
    if promise.claim(.cancelling) {
      prepare(promise, upstream: upstream, isAlone: isAlone)
      // Whoever has borrowed the list may fire it as soon as the promise is published.
      let request = promise.cell.isPruning ? makeRequest(of: promise) : nil
      if let request { _ = promise.leave(request) }
      guard let reactions = publish(promise) else { return }
      request?.isDone = true
      reactions.addTargets(to: &found)
      claimed.append((promise, reactions))
    } else if promise.cell.isClosed {
      settled.append(promise)
      look(below: promise)
    } else if !isOurs(promise), let request = makeRequest(of: promise) {
      // The settling thread carries the request out, and gives the promise a node for the reactions that it fires. If it has just
      // finished, there is nothing to leave.
      promise.family.markWanted()
      if !promise.leave(request) { found.append(.below(promise, isAlone: false)) }
    }
  }

  /// Writes the reason into a promise that was claimed as cancelled, and takes the promise away from what it waited for.
  private mutating func prepare(_ promise: AnyPromise, upstream: Bool, isAlone: Bool) {
    promise.store(reason)
    promise.beginTrail()
    promise.endProgress()
    promise.stayBelowSource(isAlone: isAlone)
    giveUpUpstream(of: promise, upstream: upstream)
  }

  /// Returns the reactions that waited; `nil`: there are none, or another thread fires them.
  private mutating func publish(_ promise: AnyPromise) -> ReactionList? {
    let publication = promise.publishTakingReactions()
    if promise.side.table != nil { hooked.append(promise) }
    if case .drain(let reactions) = publication { return reactions }
    return nil
  }

  /// The promise was claimed: what it has brought itself is given up, its source and its inputs if they are meant (rule 4.4). All after
  /// the promise has been published.
  private mutating func giveUpUpstream(of promise: AnyPromise, upstream: Bool) {
    var leaving = Leaving(upstream: upstream)
    leaving.takeAll(of: promise)
    for departure in leaving.departures { found.append(.departure(departure)) }
  }

  /// This call has claimed the promise itself, and has not fired its reactions yet.
  private mutating func isOurs(_ promise: AnyPromise) -> Bool {
    guard promise.cell.isCancelledByCall else { return false }
    while known.count < claimed.count { known.insert(ObjectIdentifier(claimed[known.count].promise)) }
    return known.contains(ObjectIdentifier(promise))
  }

  /// `nil`: this call has requested it before.
  private mutating func makeRequest(of promise: AnyPromise) -> CancelRequest? {
    let call = call ?? CancelCall()
    self.call = call
    return call.isFirstRequest(of: promise) ? CancelRequest(reason, by: call) : nil
  }
}

/// What a cancellation has come to.
private enum Found {
  /// Cancelled by name.
  case named(AnyPromise, upstream: Bool)
  /// Below one that is cancelled. `isAlone`: nobody holds it, apart from the reaction through which it was found.
  case below(AnyPromise, isAlone: Bool)
  /// To be given up.
  case departure(Departure)
}

extension ReactionList {
  /// Adds the promises that the reactions would settle and that are below.
  fileprivate func addTargets(to found: inout ShortList<Found>) {
    forEach { reaction in
      // Looked at before it is held here.
      let isAlone = !reaction.traits.contains(.forwards) && reaction.holdsOnlyReferenceToTarget
      if let target = reaction.targetBelow { found.append(.below(target, isAlone: isAlone)) }
    }
  }
}
