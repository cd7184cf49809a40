// A promise is settled in one section (steps 1 to 4 of the time line in `Engine.swift`), and then its entries are
// fired.

/// The outcome with which a promise is to be settled.
@safe @usableFromInline
package enum Outcome: Sendable {
  /// A value of the promise's type. It is owned: if it is not written to a promise, it must be released.
  case value(Payload)
  /// - Parameter amount: how much of its weight the promise had done, or less if no program has seen that (rule 5.2).
  case error(any Error, cancelled: Bool, handled: Bool = false, amount: Double = 0)

  /// An error that a handler has thrown, or with which an owner rejects.
  static func thrown(_ error: any Error, amount: Double = 0) -> Outcome {
    .error(error, cancelled: error is CancellationError, amount: amount)
  }
}

/// A promise that was settled, and what was taken out of it. The promise is retained by hand.
struct Settled {
  let promise: PromisePointer
  var entries: EntryList
  var leftovers: Leftovers?
}

extension AnyPromise {
  /// Settles this promise, unless it is settled or collapsed. Does not fire the entries.
  ///
  /// If this call settles it, the caller passes a reference to this promise on, or retains it until it has fired it.
  @inline(__always)
  final func settle(with outcome: Outcome, trail: RejectionTrail? = nil) -> Settled? {
    let state = lock()
    guard state.isPending else {
      unlock(state)
      if case .value(let value) = outcome { destroy(value) }
      return nil
    }
    return settle(state, with: outcome, trail: trail)
  }

  /// Settles this promise, which is pending and locked, and ends the section.
  @inline(__always)
  final func settle(_ state: StateWord, with outcome: Outcome, trail: RejectionTrail? = nil) -> Settled {
    switch outcome {
    case .value(let value):
      payload = value
      return endSection(state.settled(as: .fulfilled))
    case .error(let error, let isCancelled, let isHandled, let amount):
      return reject(
        state, as: .rejected(cancelled: isCancelled, handled: isHandled), with: error, amount: amount, trail: trail)
    }
  }

  @inline(never)
  final func reject(
    _ state: StateWord, as ending: StateWord.Ending, with error: any Error, amount: Double, trail: RejectionTrail?
  ) -> Settled {
    let shown = side.map { $0.progress.shown * (state.weight ?? $0.weight) } ?? 0
    payload = Payload(error: error, amount: max(amount, shown))
    if let trail { sideTable.madeNotes.trail = trail }
    return endSection(state.settled(as: ending))
  }

  /// Ends the section in which the payload was written: takes the list, gives the entries their places, and unlocks.
  @inline(__always)
  final func endSection(_ settled: StateWord) -> Settled {
    assertLocked()
    var new = settled
    let entries = list
    (head, tail) = (0, 0)
    let leftovers = side?.takeLeftovers(of: self, isCancelled: settled.isUnfinished)
    if leftovers?.finish != nil { new = new.becomingUnfinished() }
    // Nothing can be overtaken, and it is decided for what the promise waits.
    if entries.isEmpty, leftovers == nil, !new.isUnfinished { new = new.becomingClosed() }
    let hasMembers = entries.hasMembers
    if new.isEntry || hasMembers { new = place(hasMembers ? entries : EntryList(), new) }
    unlock(new)
    return Settled(promise: PromisePointer(self), entries: entries, leftovers: leftovers)
  }
}

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
    /// in which a settled promise only leaves what it waited for come first, because it is no consumer any more when
    /// another promise gives the same up (rule 4.0).
    var leaving = WorkQueue<Cancellation>()
    var givingUp = WorkQueue<Cancellation>()
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
  mutating func append(_ promise: Settled) { withWaiting { $0.settled.append(promise) } }

  /// Runs hooks when everything has been fired.
  mutating func append(_ due: DueHooks) { if !due.isEmpty { withWaiting { $0.hooks.append(due) } } }

  /// Fires everything, until nothing is left.
  @inline(__always)
  mutating func fireAll() { if waiting != nil { fireWaiting() } }

  @inline(never)
  private mutating func fireWaiting() {
    while true {
      while let next = withWaiting({ $0.settled.popFirst() }) { fire(next) }
      guard var cancellation = withWaiting({ $0.leaving.popFirst() ?? $0.givingUp.popFirst() }) else { break }
      // A cancellation that is caused here is appended to the same queue, so this is a loop (rule 6.4).
      cancellation.settleAll()
      cancellation.fire(&self)
    }
    for hooks in waiting?.hooks ?? [] { hooks.run() }
  }

  /// Fires one promise, and releases it.
  @inline(__always)
  mutating func fire(_ settled: Settled) {
    fireRetained(settled)
    settled.promise.release()
  }

  /// Fires one promise, which the caller retains: steps 5 to 8 of a settlement.
  @inline(__always)
  mutating func fireRetained(_ settled: Settled) {
    settled.promise.with { promise in
      // Nothing was attached, and nothing was left.
      if promise.relaxedState.isClosed { return }
      settled.leftovers?.announceEnd(of: promise)
      promise.fire(settled.entries, &self)
      promise.close(&self)
      if let leftovers = settled.leftovers { end(leftovers, of: promise) }
    }
  }

  /// Leaves the promises that a settled promise followed (rule 3.4), and collects its hooks.
  private mutating func end(_ leftovers: Leftovers, of promise: AnyPromise) {
    leftovers.finish?.release()
    var due = DueHooks(of: hookPlace)
    due.add(leftovers.hooks, of: promise, heldBy: leftovers.finish)
    if let combination = leftovers.combination { due.keep(combination) }
    append(due)
    for follow in leftovers.follows {
      if let departure = follow.detach() { leave([departure], givingUp: false, because: nil) }
    }
  }

  /// Leaves promises or gives them up, because the settlement of `settler` made them useless. If `settler` was
  /// cancelled, its error is the reason.
  ///
  /// - Parameter finish: waits for what is given up, if that is settled thereby. It has a hold, which is released when
  ///   this is known (rule 2.11).
  mutating func leave(
    _ departures: [Departure], givingUp: Bool, because settler: AnyPromise?, heldBy finish: Finish? = nil
  ) {
    if departures.isEmpty {
      finish?.release()
      return
    }
    let isCancelled = settler.map(\.acquiredState).map { $0.isCancelled || $0.isEndedByCall } ?? false
    let error = isCancelled ? settler?.storedError : nil
    var cancellation = Cancellation(because: error ?? CancellationError(), hooksRun: hookPlace)
    for departure in departures { cancellation.add(departure, givingUp: givingUp) }
    cancellation.unfinished.dependent = finish
    withWaiting { if givingUp { $0.givingUp.append(cancellation) } else { $0.leaving.append(cancellation) } }
  }
}

extension AnyPromise {
  /// Settles this promise on behalf of its owner, or of a combinator. Returns `false` if it was settled before.
  @usableFromInline
  final func settleAsOwner(with outcome: Outcome, rejectedAt site: Site? = nil) -> Bool {
    let trail = newTrail(of: outcome, at: site)
    var state = lock()
    if state.isPending, side?.follows.isEmpty == false, Finish.isUsed {
      unlock(state)
      // A promise that it follows may be settled, and may not have passed its outcome on yet (rule 2.11).
      staysUnfinished(untilSettled: followed)
      state = lock()
    }
    guard state.isPending else {
      unlock(state)
      if case .value(let value) = outcome { destroy(value) }
      return false
    }
    let settled = settle(state, with: outcome, trail: trail)
    var queue = FiringQueue()
    queue.fireRetained(settled)
    queue.fireAll()
    return true
  }

  /// Fulfils this promise on behalf of its owner. Returns `false` if it was settled before.
  @usableFromInline
  final func fulfillAsOwner(_ value: Payload) -> Bool { settleAsOwner(with: .value(value)) }

  /// Rejects this promise on behalf of its owner. Returns `false` if it was settled before.
  @usableFromInline
  final func rejectAsOwner(_ error: any Error, at site: Site? = nil) -> Bool {
    settleAsOwner(with: .thrown(error), rejectedAt: site)
  }
}

/// A queue that a loop works off while the work adds to it.
///
/// Usually each element leads to at most one more. Because the array is emptied when it is used up, its size stays
/// constant however long such a chain is.
struct WorkQueue<Element> {
  private var elements: [Element] = []
  private var countTaken = 0

  mutating func append(_ element: Element) { elements.append(element) }

  @inline(__always)
  mutating func popFirst() -> Element? { countTaken < elements.count ? takeFirst() : nil }

  private mutating func takeFirst() -> Element {
    if elements.count - countTaken > 1 {
      countTaken += 1
      return elements[countTaken - 1]
    }
    // Usually the only element.
    let last = elements.removeLast()
    if countTaken > 0 {
      elements.removeAll(keepingCapacity: true)
      countTaken = 0
    }
    return last
  }
}
