/// One call of `cancel`, or anything with the same effect, as a loop (rules 4.2 to 4.4).
///
/// `Engine.swift` describes its steps.
struct Cancellation {
  private let reason: any Error
  /// Promises that were found and are still to be visited.
  private var found: [Found] = []
  /// Consumers that are still to leave, first in, first out.
  private var departures: [(departure: Departure, givingUp: Bool)] = []
  private var countDeparted = 0
  /// Promises that were given up, but had other consumers.
  private var stillConsumed: [ObjectIdentifier: AnyPromise] = [:]
  /// Promises that were settled here, and below which another thread has settled some meanwhile.
  private var walked: Set<ObjectIdentifier> = []
  /// Promises that this cancellation has settled, in order.
  private var settled: [Settled] = []
  private var hooks: DueHooks
  /// The handlers of `always` that run with the reason. Attached once everything is settled.
  private var alwaysHandlers: [(promise: AnyPromise, body: HandlerBody, context: (any ExecutionContext)?)] = []
  /// Released at the end, because a release may run code of a client.
  private var unneeded: [Unneeded] = []

  /// The promises that a promise gives up when it is settled here. It leaves the others.
  struct GivingUp {
    /// Those that it has adopted or follows.
    let own: Bool
    /// The source, or the inputs of a combinator.
    let source: Bool
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

  /// Cancels a promise by name. What is below it and what it gives up follows in `run`.
  mutating func add(_ promise: AnyPromise, upstream: Bool) {
    let promise = promise.relaxedState.isClientPromise ? promise.resolved : promise
    let state = promise.lock()
    if state.isPending { return settle(promise, state, givingUp: GivingUp(own: true, source: upstream)) }
    promise.unlock(state)
    if state.isDone { return findPromises(below: promise) }
    // The caller had a weak reference to a promise that was not retained, and was collapsed. Its consumers wait for
    // its forwardee now.
    departures.append((Departure(promise: promise.resolved), givingUp: true))
  }

  /// Makes a consumer leave a promise, or give it up.
  mutating func add(_ departure: Departure, givingUp: Bool) { departures.append((departure, givingUp)) }

  /// Settles, fires, runs the hooks, and releases what is not needed any more.
  consuming func run() {
    settleAll()
    var queue = FiringQueue(hooksRun: hooks.place)
    fire(&queue)
    queue.fireAll()
  }

  /// Fires what was settled, in the order in which it was settled.
  mutating func fire(_ queue: inout FiringQueue) {
    for (promise, body, context) in alwaysHandlers {
      promise.observePrepared(
        on: context, [.value, .error, .isNotConsumer], HandlerBody { from, _ in body(from, from) })
    }
    alwaysHandlers = []
    queue.append(contentsOf: settled)
    settled = []
    queue.append(hooks)
  }
}

// MARK: - Settling

extension Cancellation {
  /// Settles everything that is found.
  mutating func settleAll() {
    while true {
      while let next = found.popLast() { visit(next) }
      guard countDeparted < departures.count else { return }
      let (departure, givingUp) = departures[countDeparted]
      countDeparted += 1
      if countDeparted == departures.count {
        departures.removeAll(keepingCapacity: true)
        countDeparted = 0
      }
      carryOut(departure, givingUp: givingUp)
    }
  }

  private mutating func visit(_ found: Found) {
    switch found {
    case .listed(let entry, let source):
      entry.with { entry in
        let state = entry.lock()
        if state.isPending, state.stage == .waiting {
          return settle(entry, state, givingUp: GivingUp(own: true, source: false))
        }
        entry.unlock(state)
        // An adopter is not below the promise that it has adopted. An entry that another thread has settled, perhaps its
        // time limit, has entries below it that are found from the source, unless it was settled before the source and so
        // has left it (rule 4.0).
        if state.isDone { source.with { findRest(below: $0) } }
      }
    case .below(let promise):
      let state = promise.lock()
      if state.isPending { return settle(promise, state, givingUp: GivingUp(own: true, source: false)) }
      promise.unlock(state)
      // Another thread has settled it meanwhile. A collapsed promise is not reached from its settled source any more
      // (rule 3.3).
      if state.isDone { findPromises(below: promise) }
    }
  }

  /// Finds the pending promises below a promise that was settled here, once. Those that become pending there later are
  /// found from the promises that this finds.
  private mutating func findRest(below promise: AnyPromise) {
    if walked.insert(ObjectIdentifier(promise)).inserted { findPromises(below: promise) }
  }

  private mutating func findPromises(below promise: AnyPromise) {
    promise.forEachPendingBelow { found.append(.below($0)) }
  }

  /// Carries a departure out. If no consumer is left, and the promise is given up, the same section settles it (rule 4.4).
  private mutating func carryOut(_ departure: Departure, givingUp: Bool) {
    let (promise, state) = departure.lockAndRemove()
    guard let state else {
      // If it is settled, the consumer has taken the duty to look at its rejection (rule 7.1).
      if givingUp, departure.entry != nil { promise.markDutyPassed() }
      return
    }
    let isUnobserved = promise.side?.isUnobserved == true
    if state.consumers == 0, givingUp || isUnobserved || stillConsumed[ObjectIdentifier(promise)] != nil {
      return settle(promise, state, givingUp: GivingUp(own: true, source: true))
    }
    promise.unlock(state)
    if givingUp { stillConsumed[ObjectIdentifier(promise)] = promise }
  }

  /// Settles a promise that is pending and locked, and takes it away from everything for which it waited.
  mutating func settle(
    _ promise: AnyPromise, _ state: StateWord, as ending: StateWord.Ending = .cancelled, givingUp: GivingUp
  ) {
    var new = state
    var ended = EndedEntry()
    if state.isEntry { ended.end(promise, &new) }
    let trail = Diagnostics.isTracing ? RejectionTrail(of: promise) : nil
    PromisePointer(promise).retain()
    var settled = promise.reject(new, as: ending, with: reason, amount: ended.amount, trail: trail)

    if let source = ended.source { leave(source, ended, of: promise, givingUp) }
    if let leftovers = settled.leftovers { giveUp(leftovers, of: promise, givingUp) }
    settled.leftovers?.hooks = []
    settled.leftovers?.follows = []
    if case .cancelled = ending { findEntries(in: settled) }
    if let body = ended.always { alwaysHandlers.append((promise, body, ended.context)) }
    if !ended.unneeded.isEmpty { unneeded.append(ended.unneeded) }
    self.settled.append(settled)
  }

  private mutating func findEntries(in settled: Settled) {
    settled.entries.visit { entry in
      if !entry.traits.contains(.isObserver) { found.append(.listed(PromisePointer(entry), of: settled.promise)) }
      return true
    }
  }

  /// Leaves or gives up the source of an entry that was settled.
  private mutating func leave(_ source: AnyPromise, _ ended: EndedEntry, of entry: AnyPromise, _ givingUp: GivingUp) {
    switch ended.waitedFor {
    case .adopted: departures.append((Departure(promise: source, entry: entry), givingUp.own))
    case .pendingSource:
      let traits = entry.traits
      // Made here, because nothing is allocated under the lock.
      let keeper = ended.keepsHandler ? entry.makeObserver([.error, .isNotConsumer]) : nil
      let isGivenUp = traits.contains(.owns) ? givingUp.own : givingUp.source && !traits.contains(.shields)
      departures.append((Departure(promise: source, entry: entry, keeper: keeper), isGivenUp))
    case .settledSource:
      // The entry has taken the duty to look at the rejection (rule 7.1).
      source.markDutyPassed()
    }
  }

  private mutating func giveUp(_ leftovers: Leftovers, of promise: AnyPromise, _ givingUp: GivingUp) {
    hooks.add(leftovers.hooks, of: promise)
    for follow in leftovers.follows {
      if let departure = follow.detach() { departures.append((departure, givingUp.own)) }
    }
    if let combination = leftovers.combination {
      hooks.keep(combination)
      let isGivenUp = combination.isOwner ? givingUp.own : givingUp.source
      for departure in combination.end() {
        // Of an input that was rejected just now (rule 7.1).
        departure.promise.markDutyPassed()
        departures.append((departure, isGivenUp))
      }
    }
  }
}

/// What is taken out of an entry when it is settled by something other than its source.
private struct EndedEntry {
  enum WaitedFor { case pendingSource, settledSource, adopted }

  /// The promise for which the entry waited, if it has to leave that or to mark it as handled.
  var source: AnyPromise?
  var waitedFor = WaitedFor.settledSource
  /// The entry has kept its handler for an error.
  var keepsHandler = false
  /// The handler of an `always`, which runs with the reason, on `context`.
  var always: HandlerBody?
  var context: (any ExecutionContext)?
  /// How much of its weight the entry had done because of its source, if that is settled.
  var amount = 0.0
  /// Released at the end of the cancellation.
  private(set) var unneeded = Unneeded()

  /// Ends a locked entry, as far as its handler does not run even so (rule 2.5).
  mutating func end(_ entry: AnyPromise, _ state: inout StateWord) {
    switch state.stage {
    case .ended: return
    case .running: amount = unsafe entry.link.pointee.source?.with { entry.amount(after: $0) } ?? 0
    case .adopting:
      amount = entry.keptShares.amount
      source = unsafe entry.link.pointee.source?.strong
      waitedFor = .adopted
      unsafe entry.link.pointee.source = nil
      state.stage = .ended
    case .waiting, .scheduled: endHandler(of: entry, &state)
    }
  }

  private mutating func endHandler(of entry: AnyPromise, _ state: inout StateWord) {
    let isScheduled = state.stage == .scheduled
    let source = unsafe entry.link.pointee.source?.strong
    // If the source is settled, it stays so. If it is pending now, the thread that settles it finds this entry ended.
    let sourceState = source?.acquiredState
    let (isSettled, isRejected) = (sourceState?.isDone ?? true, sourceState.map { $0.isDone && $0.isRejected } ?? false)
    if isSettled, let source { amount = entry.amount(after: source) }
    if !isSettled || isRejected {
      self.source = source
      waitedFor = isSettled ? .settledSource : .pendingSource
    }
    switch entry.traits.whenCancelled {
    case .keepForError where !isSettled || isRejected:
      if !isScheduled { unneeded.valueBody = entry.takeValueBody() }
      keepsHandler = true
      return
    case .runOnce:
      if isSettled { return }
      always = unsafe entry.link.pointee.body.take()
      context = unsafe entry.link.pointee.context.take()
    case .drop, .keepForError: break
    }
    unneeded.body = unsafe entry.link.pointee.body.take()
    unneeded.valueBody = entry.takeValueBody()
    unneeded.context = unsafe entry.link.pointee.context.take()
    // A scheduled entry retains its source.
    if isScheduled { unneeded.source = unsafe entry.link.pointee.source?.takeStrong() }
    unsafe entry.link.pointee.source = nil
    state.stage = .ended
  }
}

private struct Unneeded {
  var body: HandlerBody?
  var valueBody: HandlerBody?
  var context: (any ExecutionContext)?
  var source: AnyPromise?

  var isEmpty: Bool { body == nil && valueBody == nil && context == nil && source == nil }
}

// MARK: - The public calls

extension AnyPromise {
  /// Cancels the promise and everything below it. To stop the work behind it too, call `cancel(upstream: true)`.
  ///
  /// Each of these promises is rejected with a `CancellationError`, and is marked as ``isCancelled``. The source is
  /// left alone. ``cancel(reason:upstream:)`` describes the effect in full, and this is that call without arguments. It
  /// is a function of its own, so that it can be passed as one: `button.onTap(promise.cancel)`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable public final func cancel() { cancel(reason: CancellationError()) }

  /// Cancels the promise and everything below it. With `upstream: true` it also gives up the source.
  ///
  /// If no other consumer wants the source, the work behind this promise stops then, however many links lie between.
  ///
  /// The call is legal on any promise, from any thread, at any time, any number of times (rule 4.1). A settled promise
  /// stays as it is, but what is pending below it is cancelled all the same (rule 4.2).
  ///
  /// - **Below** are the promises that links made from this one, and those below them. When the call returns, they are
  ///   settled, even if another thread settles this promise or one of them at the same time. The exception is what
  ///   another cancellation has reached first: its thread settles that before its own call returns (rule 4.3). A promise
  ///   that has adopted or follows this one is rejected, and its links may recover (rule 3.1).
  /// - **Above**, nothing happens without `upstream`. With it, this promise stops being a consumer of its source, or of
  ///   its inputs if a combinator made it. A promise that has no consumer left is cancelled with the same reason, and
  ///   gives up what it waits for in turn (rule 4.4). This ends at settled promises and at
  ///   ``Promise/shielded(fileID:line:)``.
  /// - **Adopted** and followed promises are given up by each promise that is cancelled, with or without `upstream`
  ///   (rule 4.4).
  /// - **Handlers** for a value that have not started never run, nor do those of `recover`, `rescue` and `mapError`.
  ///   They are released before the call returns. `catch` runs if the promise to which it is attached is rejected, and
  ///   `always` runs once (rule 2.5). No handler runs inside the call.
  /// - **Owners** are told: hooks of ``Deferred/onCancel(_:)`` run inside this call, after everything is settled (rule
  ///   4.5).
  ///
  /// - Parameters:
  ///   - reason: the error with which everything that is cancelled is rejected (rule 1.2).
  ///   - upstream: whether to give up the source. Has no effect if the promise is already settled (rule 4.1).
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable
  public final func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    if Diagnostics.isActive { resolved.note(.cancelled(reason: reason, upstream: upstream)) }
    var cancellation = Cancellation(because: reason, hooksRun: .cancellingThread)
    cancellation.add(self, upstream: upstream)
    cancellation.run()
  }
}
