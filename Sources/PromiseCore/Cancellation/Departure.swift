/// One consumer that is about to leave a promise or to give it up. It waits no more, but is still counted.
///
/// The thread that has the departure must either leave the promise or give it up (rule 4.4), once. Until then the count
/// keeps the promise from being cancelled. So a cancelled promise can be settled before the promises for which it
/// waited.
@usableFromInline
package struct Departure: Sendable {
  let promise: AnyPromise
  /// `false` if the promise is given up by something that never was a consumer of it. Then the promise is cancelled if
  /// it has no consumers at all.
  var isCounted = true
  /// How many dead entries the consumer leaves in the list of the promise.
  var deadEntries: UInt64 = 1

  /// Leaves the promise, which stays as it is.
  func leave() { if isCounted { promise.removeConsumer(leavingBehind: deadEntries) } }
}

extension AnyPromise {
  /// Gives up or leaves a promise for which this claimed promise waited, and of which its claimer did not know.
  ///
  /// The caller has ended the edge to that promise after the claimer had looked for it. When this promise is published,
  /// the other promise is given up if this one was cancelled, and left otherwise (rules 3.4 and 4.4).
  ///
  /// An observer does this, so that the settlement does it in a loop. If the caller did it, and the cancelled promise
  /// were that of the next step of a `then` loop, the calls would nest (rule 6.4).
  final func giveUpWithThis(_ departure: Departure) {
    observe(on: nil, handling: [.value, .error, .isNotConsumer]) { from, _ in
      if from.relaxedState.isCancelledByCall { return .settles(nil, givingUp: [departure]) }
      departure.leave()
      return .nothing
    }
  }
}
