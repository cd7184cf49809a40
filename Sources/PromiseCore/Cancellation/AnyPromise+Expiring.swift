// A promise that is rejected though nothing above it is: it leaves what it waits for, and what is below it is found all the while.

extension AnyPromise {
  /// The time is up for this derived promise: it is rejected, which is no cancellation (rule 4.6). `false`: it is settled already.
  ///
  /// - Parameter givesUp: it gives its source up then, with the same error as the reason; else it leaves.
  @discardableResult
  package final func timeOut(because error: PromiseError, givingUp givesUp: Bool) -> Bool {
    rejectApartFromSource(as: .rejecting, with: error, givingUp: givesUp) { promise in
      var leaving = Leaving(upstream: true)
      leaving.takeAll(of: promise)
      return leaving.departures
    }
  }

  /// The time is up for this owner's promise: it is rejected, its owner's hooks hear of it, and what it follows is given up (rules 4.5
  /// and 4.6). `false`: it is settled already.
  @discardableResult
  package final func timeOutAsOwner(because error: PromiseError) -> Bool {
    rejectApartFromSource(as: .timingOut, with: error, givingUp: true) { $0.takeAdopted() }
  }

  /// This promise would wait for itself (rule 3.2). Whoever calls holds it by a reference of its own: a reaction that closed the
  /// ring may have been ended by another thread, and have let its target go.
  final func breakRing() {
    rejectApartFromSource(as: .rejecting, with: .cycle(createdAt: CreationSite(site)), givingUp: false) {
      $0.takeAdopted()
    }
  }

  /// Rejects this promise, though nothing above it is rejected. `false`: it is settled already.
  ///
  /// - Parameter take: takes this promise away from what it waits for.
  @discardableResult
  private func rejectApartFromSource(
    as claim: StateWord.Claim, with error: PromiseError, givingUp givesUp: Bool,
    taking take: (AnyPromise) -> ShortList<Departure>
  ) -> Bool {
    guard self.claim(claim) else { return false }
    store(error)
    beginTrail()
    endProgress()
    stayBelowSource()
    let departures = take(self)
    if givesUp {
      Cancellation(ending: self, givingUp: departures, reason: error).run()
    } else {
      for departure in departures { departure.leave() }
      publish()
    }
    return true
  }
}
