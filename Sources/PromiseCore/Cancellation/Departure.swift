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
  /// Whether the promise is given up only if it is unobserved. (Beside the other flag, so that it takes no room.)
  private(set) var isOfUnobserved = false
  /// How many dead entries the consumer leaves in the list of the promise.
  var deadEntries: UInt64 = 1

  /// The departure from a promise that has lost its last consumer and is unobserved.
  static func ofUnobserved(_ promise: AnyPromise) -> Departure {
    Departure(promise: promise, isCounted: false, isOfUnobserved: true, deadEntries: 0)
  }

  /// Leaves the promise, which stays as it is.
  ///
  /// Returns the departure by which the caller must give the promise up, if no client and no consumer is left (rule 4.6).
  /// The caller does so once everything that it settles is settled, because hooks run then (rule 4.5).
  func leave() -> Departure? { isCounted ? promise.removeConsumer(leavingBehind: deadEntries) : nil }
}

extension ShortList<Departure> {
  /// Leaves the promises. Returns the departures that remain, see `Departure.leave`.
  func leaveAll() -> ShortList<Departure> {
    var remaining = ShortList<Departure>()
    forEachElement { departure in
      if departure.isOfUnobserved {
        remaining.append(departure)
      } else if let departure = departure.leave() {
        remaining.append(departure)
      }
    }
    return remaining
  }

  /// Gives up what the departures of unobserved promises stand for. Everything that the caller settles is settled.
  func giveUpUnobserved() { forEachElement { DeferredSettlements.giveUpUnobserved($0.promise) } }
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
      guard let unobserved = departure.leave() else { return .nothing }
      return .settles(nil, givingUp: [unobserved])
    }
  }
}
