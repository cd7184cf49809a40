import Synchronization

// Counts the consumers of a pending promise (rule 4.0), and gives a promise up (rule 4.4).

extension AnyPromise {
  /// Counts a new consumer of this promise. Called before the edge is published, because a thread that ends the edge
  /// must find the consumer counted (rule 4.4).
  final func addConsumer() {
    // The first look needs no variable, which would count a reference to this promise in each step of a `then` loop.
    if addConsumerUnlessForwarded() { return }
    var promise = forwardee
    while !promise.addConsumerUnlessForwarded() { promise = promise.forwardee }
  }

  /// Counts a new consumer. Returns `false` if this promise was collapsed.
  private func addConsumerUnlessForwarded() -> Bool {
    var old = acquiredState
    while let new = old.consumerArrived() {
      // Relaxed, because only the number matters. A failure acquires the forwardee.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .relaxed, failureOrdering: .acquiring)
      if exchanged { return true }
      old = StateWord(bits: found)
    }
    return !old.isForwarded
  }

  /// Subtracts a consumer that leaves before it has run, and counts the entries that it leaves in the list.
  ///
  /// The consumer does not give this promise up. So this promise is not cancelled, even if that was its last consumer
  /// (rule 4.4).
  ///
  /// - Returns: see `Departure.leave`.
  final func removeConsumer(leavingBehind dead: UInt64) -> Departure? {
    let promise = resolved
    promise.recordDeadEntries(dead)
    return promise.removeConsumer()
  }

  /// Subtracts a consumer whose dead entries the caller records later. The caller retains this promise.
  ///
  /// - Returns: see `Departure.leave`.
  final func removeConsumer() -> Departure? {
    var promise = self
    var old = promise.acquiredState
    while true {
      if old.isForwarded {
        promise = promise.forwardee
        old = promise.acquiredState
        continue
      }
      guard let (new, wasLast) = old.consumerLeft() else { return nil }
      // Sequentially consistent: pairs with the mark set in `releaseClientPromise`. A failure acquires the forwardee.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
      if exchanged {
        return wasLast && promise.side.isUnobserved ? .ofUnobserved(promise) : nil
      }
      old = StateWord(bits: found)
    }
  }

  /// The result of giving a promise up.
  enum GivingUp {
    /// No other consumer was left. The promise is claimed as cancelled, and the caller settles it.
    case claimed
    /// The promise has other consumers, or is settled.
    case notClaimed
    /// The promise was collapsed. The caller must give up its forwardee instead.
    case forwarded
  }

  /// Gives this promise up (rule 4.4), in one atomic step.
  final func giveUp(_ departure: Departure) -> GivingUp {
    var old = relaxedState
    while let (new, isClaimed) = old.givenUp(isCounted: departure.isCounted) {
      // Sequentially consistent, for the same reason as in `claim`.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        if isClaimed { return .claimed }
        recordDeadEntries(departure.deadEntries)
        return .notClaimed
      }
      old = StateWord(bits: found)
    }
    // Nothing was changed, because this promise is settled or collapsed, or because its count sticks.
    if acquiredState.isForwarded { return .forwarded }
    recordDeadEntries(departure.deadEntries)
    return .notClaimed
  }
}
