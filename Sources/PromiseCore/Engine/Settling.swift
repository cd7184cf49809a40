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
    list = EntryList()
    let leftovers = side?.takeLeftovers(of: self, isCancelled: settled.isUnfinished)
    if leftovers?.finish != nil { new = new.becomingUnfinished() }
    // Nothing can be overtaken, and it is decided for what the promise waits.
    if entries.isEmpty, leftovers == nil, !new.isUnfinished { new = new.becomingClosed() }
    let hasMembers = entries.hasMembers
    if new.isEntry || hasMembers { new = place(hasMembers ? entries : EntryList(), new) }
    unlock(new)
    return Settled(promise: PromisePointer(self), entries: entries, leftovers: leftovers)
  }

  /// The outcome of this settled promise, for another promise of the same type (rules 1.2 and 7.1).
  ///
  /// - Parameters:
  ///   - isHandled: whether a rejection was just handled.
  ///   - asCancelled: whether a rejection gets the cancelled mark, even if this promise does not have it.
  ///   - shares: how the other promise measures the progress of this one. `nil` for a promise that has the same amount.
  final func passedOutcome(
    _ state: StateWord, isHandled: Bool = false, asCancelled: Bool = false, shares: ProgressShares? = nil
  ) -> Outcome {
    guard state.isRejected else { return .value(copyValue()) }
    let done = doneAmount
    return .error(
      payload.error, cancelled: asCancelled || state.isCancelled, handled: isHandled || state.hasArrivedHandled,
      amount: shares.map { $0.amount + $0.share * done / weight } ?? done)
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
