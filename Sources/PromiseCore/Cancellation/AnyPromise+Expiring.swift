// Rejects a promise although its source is still pending. The promise leaves or gives up what it waits for. A cancel of
// the source still finds what is below the promise.

extension AnyPromise {
  /// Rejects this derived promise because its time limit has expired. That is no cancellation (rule 4.6). Returns
  /// `false` if this promise was settled before.
  ///
  /// - Parameter givesUp: whether the promise gives its source up, with the same error as the reason. Otherwise it only
  ///   leaves.
  @discardableResult
  package final func timeOut(because error: PromiseError, givingUp givesUp: Bool) -> Bool {
    rejectApartFromSource(as: .rejecting, with: error, givingUp: givesUp) { promise in
      var leaving = Leaving(upstream: true)
      leaving.takeAll(of: promise)
      return leaving.departures
    }
  }

  /// Rejects this promise because the time limit of its owner has expired. The owner's hooks run, and what the promise
  /// follows is given up (rules 4.5 and 4.6). Returns `false` if this promise was settled before.
  @discardableResult
  package final func timeOutAsOwner(because error: PromiseError) -> Bool {
    rejectApartFromSource(as: .timingOut, with: error, givingUp: true) { $0.takeAdopted() }
  }

  /// Rejects this promise because it would wait for itself (rule 3.2).
  ///
  /// The caller must retain this promise. The reaction that closed the ring does not suffice, because another thread
  /// may have ended that reaction, which then has released its target.
  final func breakRing() {
    // Before the claim, because a claimed promise waits for nothing any more.
    let ring = promisesOfRing
    rejectApartFromSource(as: .rejecting, with: .cycle(createdAt: CreationSite(site)), givingUp: false) {
      RingReport.share(among: ring)
      return $0.takeAdopted()
    }
  }

  /// Rejects this promise although nothing above it is rejected. Returns `false` if this promise was settled before.
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
      let unobserved = departures.leaveAll()
      publish()
      unobserved.giveUpUnobserved()
    }
    return true
  }
}
