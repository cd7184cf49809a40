/// One consumer that is about to go: its reaction waits no more, or its edge has ended, but it is still counted.
///
/// Whoever has it either leaves, or gives the promise up (rule 4.4), once. Until then the count keeps the promise going, so that a cancelled
/// promise can be settled before what it waited for.
@usableFromInline
package struct Departure: Sendable {
  let promise: AnyPromise
  /// `false`: who gives the promise up never was a consumer, and decides as one who was the last.
  var isCounted = true
  /// How many entries it leaves in the list of the promise.
  var deadEntries: UInt64 = 1

  /// Somebody else settled what waited: the promise stays as it is.
  func leave() { if isCounted { promise.removeConsumer(leavingBehind: deadEntries) } }
}

extension AnyPromise {
  /// This promise is claimed, and has taken out what it waited for too late for who has claimed it: gives that up as soon as this one is
  /// published if it was cancelled, else leaves it (rules 3.4 and 4.4). Left to the settlement, which does it in a loop: meanwhile another
  /// thread may have come here with the next step of a loop, for the promise that this cancels, and then with the next (rule 6.4).
  final func giveUpWithThis(_ departure: Departure) {
    observe(on: nil, handling: [.value, .error, .bystander]) { from, _ in
      if from.cellHint.isCancelledByCall { return .settles(nil, givingUp: [departure]) }
      departure.leave()
      return .nothing
    }
  }
}
