// A promise is rejected although nothing above it is. It leaves or gives up what it waits for.

extension AnyPromise {
  /// Rejects this derived promise because its time limit has expired. That is no cancellation (rule 4.6). Returns
  /// `false` if this promise was settled before.
  ///
  /// - Parameter givesUp: whether the promise gives its source up, with the same error as the reason. Otherwise it only
  ///   leaves.
  @discardableResult
  package final func timeOut(because error: PromiseError, givingUp givesUp: Bool) -> Bool {
    end(
      as: .rejected(cancelled: false, handled: false), because: error,
      givingUp: Cancellation.GivingUp(own: givesUp, source: givesUp))
  }

  /// Rejects this promise because the time limit of its owner has expired. The owner's hooks run, and what the promise
  /// follows is given up (rules 4.5 and 4.6). Returns `false` if this promise was settled before.
  @discardableResult
  package final func timeOutAsOwner(because error: PromiseError) -> Bool {
    end(as: .timedOut, because: error, givingUp: Cancellation.GivingUp(own: true, source: true))
  }

  /// Rejects this promise because it would wait for itself (rule 3.2).
  final func breakRing() {
    // Before it is settled, because a settled promise waits for nothing any more.
    let ring = promisesOfRing
    RingReport.share(among: ring)
    end(
      as: .rejected(cancelled: false, handled: false),
      because: .cycle(createdAt: createdAt, ring: ring.dropFirst().prefix(16).map(\.createdAt)),
      givingUp: Cancellation.GivingUp(own: false, source: false))
  }

  @discardableResult
  private func end(
    as ending: StateWord.Ending, because error: PromiseError, givingUp: Cancellation.GivingUp
  ) -> Bool {
    let state = lock()
    guard state.isPending else {
      unlock(state)
      return false
    }
    var cancellation = Cancellation(because: error, hooksRun: .elsewhere)
    cancellation.settle(self, state, as: ending, givingUp: givingUp)
    cancellation.run()
    return true
  }
}
