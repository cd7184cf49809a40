/// One call of `cancel`: settles a promise, if it is pending, and everything pending below it, also
/// through promises that are settled (rules 4.2 to 4.4, 4.6). A loop, however deep the tree.
///
/// First every promise is claimed, and only then their rejection handlers are scheduled: no handler can rescue what was
/// below when the call was made. Then the hooks of the owners run, under no lock (rule 4.5).
///
/// Where another thread is settling a promise at this moment, the request is left in its list, and that thread carries it out
/// (rule 4.3). That promise gets a scope of its own first, so that all it makes active from now on is found below it. What
/// was made active before, while this call was on its way down, is found by looking again below the settled promises through
/// which it came, until there is nothing new.
struct Cancellation {
  private let reason: any Error
  /// Also what a cancelled promise has waited for is cancelled, if nobody else wants it.
  private let upstream: Bool
  // Mostly there is one of each, or none.
  private var found = ShortList<Found>()
  private var claimed = ShortList<(promise: AnyPromise, links: LinkList)>()
  /// Those claimed promises, from the first, that had to be looked up.
  private var known: Set<ObjectIdentifier> = []
  /// Of those that are below settled ones, until their links have been fired.
  private var standIns = ShortList<StandIn>()
  private var hooked = ShortList<AnyPromise>()
  private var settled = ShortList<AnyPromise>()
  /// What was found below settled promises.
  private var seen: Set<ObjectIdentifier> = []
  /// Made with the first request, or that which this carries out belongs to it.
  private var call: CancelCall?

  init(of promise: AnyPromise, reason: any Error, upstream: Bool = false) {
    self.init(of: CollectionOfOne(promise), reason: reason, upstream: upstream)
  }

  init(
    of promises: some Sequence<AnyPromise>, reason: any Error, upstream: Bool = false,
    requestedBy call: CancelCall? = nil
  ) {
    self.call = call
    self.reason = reason
    self.upstream = upstream
    for promise in promises { found.append(Found(promise)) }
  }

  /// One that cancels nothing.
  init(keeping standIn: StandIn) {
    self.init(of: EmptyCollection(), reason: CancellationError())
    standIns.append(standIn)
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
      while let next = found.popLast() { visit(next.promise, isAlone: next.isAlone) }
      for promise in settled { look(below: promise) }
    } while !found.isEmpty
  }

  private mutating func look(below settled: AnyPromise) {
    for promise in settled.activeTargets() where seen.insert(ObjectIdentifier(promise)).inserted {
      found.append(Found(promise))
    }
  }

  /// Schedules the handlers of what was claimed, then runs the hooks. What cancellations this brings about the settlement lets fire
  /// after that.
  consuming func fire(during settlement: inout Settlement) {
    for (promise, links) in claimed { promise.drain(links, isShared: true, during: &settlement) }
    for standIn in standIns { standIn.end() }
    settlement.publishAll()
    for promise in hooked { promise.endSideTable() }
  }

  private mutating func visit(_ promise: AnyPromise, isAlone: Bool) {
    if promise.cell.isMoved {
      // Nobody held it, and what waited for it waits for another (rule 4.2).
      let forwardee = promise.resolved
      if forwardee.isUnwanted { found.append(Found(forwardee)) }
      return
    }
    var above = promise.upstream
    if promise.claimCancelled(reason: reason) {
      promise.endProgress()
      let settledAbove = above.removeSettled()
      promise.stay(below: settledAbove, isAlone: isAlone)
      // What is attached to it between its publication and its closing is not ours.
      if !isAlone, promise.hasLinks { standIns.append(contentsOf: promise.standIns(below: settledAbove)) }
      for promise in promise.leaveUpstream(abandoning: upstream) { found.append(Found(promise)) }
      // Whoever has borrowed the list may fire it as soon as the promise is published.
      let request = promise.cell.isPruning ? makeRequest(of: promise) : nil
      if let request { _ = promise.leave(request) }
      let publication = promise.publishTakingLinks()
      if promise.side.table != nil { hooked.append(promise) }
      switch publication {
      case .drain(let links):
        request?.isDone = true
        links.addTargets(to: &found)
        claimed.append((promise, links))
      case .closed, .leftToPruner: return
      }
    } else if promise.cell.isClosed {
      settled.append(promise)
      look(below: promise)
    } else if !isOurs(promise), let request = makeRequest(of: promise) {
      // Leaves the rest to the thread that is settling the promise; if it has just finished, there is nothing to leave.
      promise.demandKinScope()
      if !promise.leave(request) { found.append(Found(promise)) }
    }
  }

  /// This call has claimed the promise itself, and has not fired its links yet.
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

/// A promise that a cancellation has come to.
private struct Found {
  let promise: AnyPromise
  /// Nobody holds it, apart from the link through which it was found.
  var isAlone = false

  init(_ promise: AnyPromise, isAlone: Bool = false) {
    self.promise = promise
    self.isAlone = isAlone
  }
}

extension LinkList {
  /// Adds the promises that the links would settle.
  fileprivate func addTargets(to found: inout ShortList<Found>) {
    forEach { link in
      // Looked at before it is held here. Of a forward it is not known: its target may go at any time.
      let isAlone = !link.traits.contains(.forwards) && link.holdsTargetAlone
      if let target = link.targetInList { found.append(Found(target, isAlone: isAlone)) }
    }
  }
}

extension AnyPromise {
  /// Claims and writes the reason of a call of `cancel`. The caller publishes.
  fileprivate final func claimCancelled(reason: any Error) -> Bool {
    guard claim(.cancelling) else { return false }
    store(reason)
    beginTrail()
    return true
  }

  /// This promise has been claimed by a cancellation: it no longer waits for anything, and its handler, unless it has
  /// started, does not run, except where rule 2.5 says that it does.
  ///
  /// Returns the promises that it had adopted, and that nobody else wants (rule 4.4); if it is abandoned also the one that it was
  /// derived from (rule 4.6).
  @discardableResult
  final func leaveUpstream(abandoning upstream: Bool) -> ShortList<AnyPromise> {
    var unwanted = ShortList<AnyPromise>()
    unwanted.append(contentsOf: leaveAdopted())
    if let combination {
      let inputs = combination.leave()
      if upstream || combination.isOwner { unwanted.append(contentsOf: inputs) }
    }
    var leaving = LeavingLink()
    let link = producer.read(Link.self) { link -> UInt64 in
      leaving.take(from: link)
      return location(of: link)
    }
    if let link { _ = producer.retire(link) }
    if let source = leaving.source {
      let wasLast = source.lostConsumer(leavingBehind: leaving.isDead ? 1 : 0)
      // To cancel an identity is to cancel what it stands for.
      let isUnwanted = wasLast && (leaving.isOwning || upstream && !leaving.isShielded)
      if leaving.isIdentity || isUnwanted { unwanted.append(source) }
    }
    if let body = leaving.always, let context = leaving.context {
      observe(on: context, handling: [.value, .error]) { from, _ in body(from, from) }
    }
    return unwanted
  }
}
