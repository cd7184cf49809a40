/// One call of `cancel`, or anything with the same effect, as a loop (rules 4.2 to 4.4).
///
/// `Engine.swift` describes its steps.
struct Cancellation {
  private let reason: any Error
  /// Promises that were found and are still to be visited.
  private var found: [Found] = []
  /// Consumers that are still to leave, first in, first out.
  private var departures = WorkQueue<Leaving>()
  /// Promises that were given up, but had other consumers.
  private var stillConsumed: [ObjectIdentifier: AnyPromise] = [:]
  /// Settled promises whose parts of the tour are still to be looked at. The entries of lists come first, because the
  /// handler of a cleanup must be found in the list of its source (rule 2.10).
  private var toWalk: [AnyPromise] = []
  /// The promises that were settled here and ever were in `toWalk`.
  private var walked: Set<UInt> = []
  /// Promises that this cancellation has settled, in order.
  private var settled: [Settled] = []
  /// The promises in `settled` that departures have settled. Behind each of them is what is below it.
  private var begun: [Begun] = []
  private var hooks: DueHooks
  var unfinished = UnfinishedWork()
  /// Released when everything is settled, because a release may run code of a client, and before anything is fired
  /// (rule 2.4).
  private var unneeded: [EndedEntry] = []
  /// References that are released with `unneeded`, because nothing may be released while this cancellation settles
  /// promises. `nil` if each is released as soon as it is not needed.
  private var kept: [AnyPromise]?

  /// The promises that a promise gives up when it is settled here. It leaves the others.
  struct GivingUp {
    /// Those that it has adopted or follows.
    let own: Bool
    /// The source, or the inputs of a combinator.
    let source: Bool
  }

  /// A promise that was settled by a departure.
  struct Begun {
    /// The place in the list of settled promises.
    let index: Int
    /// The promise that has given it up, and that has not finished before it has.
    let waiting: PromisePointer?
    /// That promise has kept its handler for an error.
    let keepsHandler: Bool
  }

  /// A consumer that leaves a promise, or gives it up.
  struct Leaving {
    let departure: Departure
    let givingUp: Bool
    /// The promise on behalf of which the consumer has waited, if it was settled here and has not finished before the
    /// other one has.
    let waiting: PromisePointer?

    /// Whether the consumer has kept its handler, and its promise is settled, perhaps by a later departure.
    var runsKeptHandler: Bool { departure.keepsHandler && departure.promise.resolvedState.isDone }
  }

  private enum Found {
    /// An entry in the list of a promise that was settled here. That list retains it, and `settled` that promise.
    case listed(PromisePointer, of: PromisePointer)
    /// Found below a settled promise.
    case below(AnyPromise)
  }

  /// - Parameter place: where the hooks of owners run. Only a program's call of `cancel` runs them itself.
  init(because reason: any Error, hooksRun place: DueHooks.Place) {
    self.reason = reason
    hooks = DueHooks(of: place)
  }

  /// Cancels a promise that no client retains, if it has no consumers and no client has asked for it meanwhile.
  init(ofUnobserved promise: AnyPromise, hooksRun place: DueHooks.Place) {
    self.init(because: CancellationError(), hooksRun: place)
    // Not given up, because a client may have asked for it meanwhile.
    add(Departure(promise: promise), givingUp: false)
  }

  /// Cancels a promise by name. What is below it and what it gives up follows in `run`.
  mutating func add(_ promise: AnyPromise, upstream: Bool) {
    // The handler of a cleanup must be found in the list of its source, even if both are cancelled by name (rule 2.10).
    visitFound()
    let promise = promise.relaxedState.isClientPromise ? promise.resolved : promise
    let state = promise.lock()
    if state.isPending { return settle(promise, state, givingUp: GivingUp(own: true, source: upstream)) }
    promise.unlock(state)
    if state.isDone { return findPromises(below: promise) }
    // The caller had a weak reference to a promise that was not retained, and was collapsed. Its consumers wait for
    // its forwardee now.
    add(Departure(promise: promise.resolved), givingUp: true)
  }

  /// Makes a consumer leave a promise, or give it up.
  mutating func add(_ departure: Departure, givingUp: Bool) {
    departures.append(Leaving(departure: departure, givingUp: givingUp, waiting: nil))
  }

  /// Settles everything, fires it, and runs the hooks.
  mutating func run() {
    settleAll()
    fireAll()
  }

  fileprivate mutating func fireAll() {
    var queue = FiringQueue(hooksRun: hooks.place)
    fire(&queue)
    queue.fireAll()
  }

  /// Releases the handlers that do not run, decides which promises have not finished, and fires those that were
  /// settled, from the sources on (rule 2.5). Nothing else waits to be fired.
  mutating func fire(_ queue: inout FiringQueue) {
    unneeded = []
    kept = nil
    unfinished.decide(for: &settled, begun)
    // A promise that a departure has settled comes before the one that has departed. Promises below it come behind it,
    // and promises that were settled by name come last.
    var end = settled.count
    for begun in begun.reversed() {
      for promise in settled[begun.index..<end] { queue.fire(promise) }
      end = begun.index
    }
    for promise in settled[..<end] { queue.fire(promise) }
    settled = []
    queue.append(hooks)
  }
}

extension Array {
  /// Appends an element. A list with a second element gets room for some more, because cancelled promises are often
  /// chains.
  fileprivate mutating func appendOneOfSome(_ element: Element) {
    if count == 1 { reserveCapacity(8) }
    append(element)
  }
}

// MARK: - Settling

extension Cancellation {
  /// Settles everything that is found.
  mutating func settleAll() {
    while true {
      visitFound()
      if let promise = toWalk.popLast() {
        keep(promise)
        findPromises(below: promise)
        continue
      }
      guard let leaving = departures.popFirst() else { return }
      carryOut(leaving)
    }
  }

  /// Keeps a reference, if none may be released now.
  @inline(__always)
  private mutating func keep(_ promise: AnyPromise) { if kept != nil { kept?.append(promise) } }

  private mutating func visitFound() {
    while let next = found.popLast() { visit(next) }
  }

  private mutating func visit(_ found: Found) {
    switch found {
    case .listed(let entry, let source):
      entry.with { entry in
        let state = entry.lock()
        if entry.traits.contains(.isTakenBack) { return takeBack(entry, state) }
        if state.isPending, state.stage == .waiting {
          return settle(entry, state, givingUp: GivingUp(own: true, source: false), listedBy: source)
        }
        entry.unlock(state)
        // An adopter is not below the promise that it has adopted. An entry that another thread has settled meanwhile,
        // perhaps its time limit, has entries below it that are found from the source. An entry that was settled before
        // the source has left that, and may have kept its handler (rules 2.5 and 4.0).
        if state.isDone, entry.isPlaced(state), walked.insert(source.address).inserted { toWalk.append(source.strong) }
      }
    case .below(let promise):
      keep(promise)
      let state = promise.lock()
      if state.isEntry, promise.traits.contains(.isTakenBack) { return takeBack(promise, state) }
      if state.isPending { return settle(promise, state, givingUp: GivingUp(own: true, source: false)) }
      promise.unlock(state)
      // Another thread has settled it meanwhile. A collapsed promise is not reached from its settled source any more
      // (rule 3.3).
      if state.isDone { findPromises(below: promise) }
    }
  }

  /// Takes back the handler of a locked observer that has not started (rule 2.5). Its source is settled.
  private mutating func takeBack(_ observer: AnyPromise, _ state: StateWord) {
    var ended = EndedEntry()
    ended.takeBack(from: observer, state)
    guard let source = ended.source else { return observer.unlock(state) }
    observer.unlockEnded(state)
    if observer.traits.contains(.isForFailures) { source.markHandled() }
    unneeded.append(ended)
  }

  private mutating func findPromises(below promise: AnyPromise) {
    promise.forEachPendingBelow { found.append(.below($0)) }
  }

  /// Carries a departure out. If no consumer is left, and the promise is given up, the same section settles it (rule
  /// 4.4).
  private mutating func carryOut(_ leaving: Leaving) {
    let departure = leaving.departure
    let givingUp = leaving.givingUp
    let (promise, state) = departure.lockAndRemove()
    keep(promise)
    keep(departure.promise)
    if let entry = departure.entry { keep(entry) }
    guard let state else {
      // If it is settled, the consumer has taken the duty to look at its rejection (rule 7.1).
      if givingUp, let entry = departure.entry, !entry.isPromiseOfCleanup { promise.markDutyPassed() }
      unfinished.note(leaving, from: promise)
      return
    }
    let isUnobserved = promise.side?.isUnobserved == true
    if state.consumers == 0, givingUp || isUnobserved || stillConsumed[ObjectIdentifier(promise)] != nil {
      promise.side?.wasGivenUp = true
      begun.appendOneOfSome(Begun(index: settled.count, waiting: leaving.waiting, keepsHandler: departure.keepsHandler))
      if departure.keepsHandler { unfinished.isDecisionNeeded = true }
      return settle(promise, state, givingUp: GivingUp(own: true, source: true))
    }
    promise.unlock(state)
    if givingUp { stillConsumed[ObjectIdentifier(promise)] = promise }
    // It may be settled later by another departure.
    unfinished.add(leaving)
  }

  /// Settles a promise that is pending and locked, and takes it away from everything for which it waited.
  ///
  /// - Parameter source: the promise that was settled here and in whose list this one was found, if it was.
  mutating func settle(
    _ promise: AnyPromise, _ state: StateWord, as ending: StateWord.Ending = .cancelled, givingUp: GivingUp,
    listedBy source: PromisePointer? = nil
  ) {
    var new = state
    var ended = EndedEntry()
    if state.isEntry { ended.end(promise, &new, listedBy: source) }
    // Undecided, so it is not closed before it is fired.
    new = new.becomingUnfinished()
    let finish = unfinished.hold(promise, new, as: ending, ended)
    let trail = Diagnostics.recordsRejectionTrails ? RejectionTrail(of: promise) : nil
    PromisePointer(promise).retain()
    var settled = promise.reject(new, as: ending, with: reason, amount: ended.amount, trail: trail)

    settled.leftovers?.finish = nil
    if let source = ended.source.take() { leave(source, ended, of: promise, givingUp) }
    if let leftovers = settled.leftovers { giveUp(leftovers, of: promise, givingUp, heldBy: finish) }
    settled.leftovers?.hooks = []
    settled.leftovers?.follows = []
    if case .cancelled = ending { findEntries(in: settled) }
    if ended.runsBody, let body = ended.body.take() {
      let observer = promise.observer(running: body, on: ended.context.take(), holding: finish)
      settled.entries.prepend(observer)
      if promise.traits.beginsCleanup { unfinished.addCleanup(observer, of: settled.promise, firedBy: settled.promise) }
    } else if let source, new.stage == .waiting, promise.traits.beginsCleanup {
      unfinished.addCleanup(settled.promise, of: settled.promise, firedBy: source)
    }
    if ended.isReleasedLater { unneeded.appendOneOfSome(ended) }
    self.settled.appendOneOfSome(settled)
  }

  private mutating func findEntries(in settled: Settled) {
    for entry in settled.entries where entry.with({ $0.traits.hasPlace }) {
      found.append(.listed(entry, of: settled.promise))
    }
  }

  /// Leaves or gives up the source of an entry that was settled.
  private mutating func leave(_ source: AnyPromise, _ ended: EndedEntry, of entry: AnyPromise, _ givingUp: GivingUp) {
    switch ended.waitedFor {
    case .adopted:
      let departure = Departure(promise: source, entry: entry)
      departures.append(Leaving(departure: departure, givingUp: givingUp.own, waiting: PromisePointer(entry)))
    case .pendingSource:
      let traits = entry.traits
      let isGivenUp = traits.contains(.owns) ? givingUp.own : givingUp.source && !traits.contains(.shields)
      if traits.contains(.isForFailures) { source.markHandledInAdvance() }
      departures.append(
        Leaving(
          departure: Departure(promise: source, entry: entry, keepsHandler: ended.keepsHandler), givingUp: isGivenUp,
          waiting: traits.contains(.shields) ? nil : PromisePointer(entry)))
    case .settledSource:
      // The entry has taken the duty to look at the rejection (rule 7.1), unless it is that of a cleanup (rule 2.10).
      if !entry.isPromiseOfCleanup { source.markDutyPassed(to: entry) }
      keep(source)
    }
  }

  private mutating func add(_ departure: Departure, givingUp: Bool, of promise: AnyPromise) {
    departures.append(Leaving(departure: departure, givingUp: givingUp, waiting: PromisePointer(promise)))
  }

  private mutating func giveUp(
    _ leftovers: Leftovers, of promise: AnyPromise, _ givingUp: GivingUp, heldBy finish: Finish?
  ) {
    hooks.add(leftovers.hooks, of: promise, heldBy: finish)
    for follow in leftovers.follows {
      if let departure = follow.detach() {
        add(departure, givingUp: givingUp.own, of: promise)
      } else if let source = follow.takeUnfinishedSource() {
        unfinished.await([source], for: promise)
      }
    }
    if let combination = leftovers.combination {
      let isGivenUp = combination.isOwner ? givingUp.own : givingUp.source
      for departure in combination.end() {
        // Of an input that was rejected just now (rule 7.1).
        departure.promise.markDutyPassed()
        add(departure, givingUp: isGivenUp, of: promise)
      }
      // Once its observers have ended. An input whose observer another thread has fired is settled by now.
      unfinished.await(combination.inputs, for: promise)
    }
  }
}

// MARK: - Cancelled Tasks

/// A cancellation that settles everything at once, and does the rest in one job of the pool (rule 4.7).
///
/// It is for the cancellation handler of a Task, which runs under a lock of the runtime. There no code of a client may
/// run, and no object of a client may be released. So the job releases handlers, schedules others, and hands out hooks.
///
/// The object has the only references to what is released, even if the job ends before the call that has made it.
///
/// `@unchecked Sendable`, because the cancellation belongs to the thread that settles, and then to the one that runs
/// the job.
final class SplitCancellation: @unchecked Sendable {
  private var cancellation: Cancellation?

  init(_ cancellation: consuming Cancellation) { self.cancellation = cancellation }

  /// Settles everything, and hands the rest to the pool. Returns `false`, and does nothing, if nothing is to be
  /// settled.
  ///
  /// - Parameters:
  ///   - context: where the job runs, instead of the pool.
  ///   - end: called at the end of the job.
  func settle(restOn context: (any ExecutionContext)?, then end: @escaping @Sendable () -> Void) -> Bool {
    guard let promise = cancellation?.settleAllKeeping() else { return false }
    let action = OwnerHook.Action.ended { [self] _ in
      finish()
      end()
    }
    var job = DueHooks(of: .elsewhere)
    job.add(DueHook(hook: OwnerHook(action: action, context: context), promise: promise, finish: nil))
    job.run()
    return true
  }

  private func finish() {
    guard var cancellation = cancellation.take() else { preconditionFailure("A cancellation was ended twice.") }
    cancellation.fireAll()
  }
}

extension Cancellation {
  /// Settles everything, and releases nothing. Returns the first promise that was settled.
  ///
  /// Queued progress is not shown any more, although its observers are released later (rule 2.5).
  fileprivate mutating func settleAllKeeping() -> AnyPromise? {
    kept = []
    settleAll()
    for settled in settled { settled.leftovers?.audience?.mute() }
    return settled.first?.promise.strong
  }
}

// MARK: - Other endings

extension AnyPromise {
  /// Rejects this derived promise because its time limit has expired. That is no cancellation (rule 4.6). Returns
  /// `false` if this promise was settled before.
  ///
  /// - Parameters:
  ///   - error: the error of the rejection. `CancellationError` sets the mark (rule 1.2).
  ///   - givesUp: whether the promise gives its source up, with the same error as the reason. Otherwise it only leaves.
  @discardableResult
  package final func timeOut(because error: any Error, givingUp givesUp: Bool) -> Bool {
    end(
      as: .rejected(cancelled: error is CancellationError, handled: false), because: error,
      givingUp: Cancellation.GivingUp(own: givesUp, source: givesUp))
  }

  /// Rejects this promise because the time limit of its owner has expired. The owner's hooks run, and what the promise
  /// follows is given up (rules 4.5 and 4.6). Returns `false` if this promise was settled before.
  @discardableResult
  package final func timeOutAsOwner(because error: PromiseError) -> Bool {
    end(as: .timedOut, because: error, givingUp: Cancellation.GivingUp(own: true, source: true))
  }

  /// Rejects this promise because it would wait for itself (rule 3.2). Returns `false` if it was settled before.
  ///
  /// - Parameter adopted: the promise for which it would wait, if that is settled and so does not know of it.
  @discardableResult
  final func breakRing(through adopted: AnyPromise? = nil) -> Bool {
    // Before it is settled, because a settled promise waits for nothing any more.
    let ring = promisesOfRing(through: adopted)
    RingReport.share(among: ring.filter(\.isPending))
    return end(
      as: .rejected(cancelled: false, handled: false),
      because: PromiseError.cycle(createdAt: createdAt, ring: ring.dropFirst().prefix(16).map(\.createdAt)),
      givingUp: Cancellation.GivingUp(own: false, source: false), breaksRing: true)
  }

  @discardableResult
  private func end(
    as ending: StateWord.Ending, because error: any Error, givingUp: Cancellation.GivingUp, breaksRing: Bool = false
  ) -> Bool {
    let state = lock()
    guard state.isPending else {
      unlock(state)
      return false
    }
    var cancellation = Cancellation(because: error, hooksRun: .elsewhere)
    cancellation.unfinished.breaksRing = breaksRing
    cancellation.settle(self, state, as: ending, givingUp: givingUp)
    cancellation.run()
    return true
  }
}
