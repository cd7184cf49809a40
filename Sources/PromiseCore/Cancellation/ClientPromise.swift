// The promise of a `Deferred(cancelWhenUnobserved: true)` is cancelled when no client wants its outcome any more. That
// is so when no client retains it, and it has no consumer (rule 4.6).
//
//     Deferred ──▶ owner's promise ◀── client promise ◀── clients
//                        └─ ─ ─ (weak) ─ ─ ─▲
//
// Clients get a *client promise*, which is forwarded from its creation on. Every operation on it is an operation on the
// owner's promise, where reactions wait, too. So the only purpose of the client promise is that its `deinit` tells that
// no client is left. The owner's promise is then marked as *unobserved* and given up, which cancels it unless it has
// consumers. If it has, the last consumer that leaves finds the mark and cancels it.

extension AnyPromise {
  /// Makes clients of this new promise get a client promise in its place. The promise is *observing* from then on.
  final func beginObservingClients() { side.markObservingClients() }

  /// The promise that clients get. That is a client promise if the owner observes its clients, otherwise this promise.
  @usableFromInline final var forClients: AnyPromise { side.isObservingClients ? clientPromise : self }

  /// The client promise, which is created if none is alive.
  private final var clientPromise: AnyPromise {
    let table = side.getOrCreateTable()
    if let existing = table.locked({ $0.clientPromise }) { return existing }
    let new = makeClientPromise()
    // The `deinit` of a client promise acquires the lock, so none may be released under it.
    return withExtendedLifetime(new) {
      table.locked { contents in
        // Another thread may have been faster.
        if let existing = contents.clientPromise { return existing }
        contents.clientPromise = new
        side.unmarkUnobserved()
        return new
      }
    }
  }

  /// Called by the `deinit` of this client promise. Cancels the owner's promise if that has no consumers.
  @inline(never)
  final func releaseClientPromise() {
    let promise = forwardee
    // Released outside the lock.
    let successor = promise.side.table?.locked { contents in
      let successor = contents.clientPromise
      if successor == nil { promise.side.markUnobserved() }
      return successor
    }
    // Sequentially consistent: pairs with the exchange in `removeConsumer`. A consumer leaves, and then looks for the
    // mark. Either it finds the mark, or it is not counted here.
    if successor == nil, promise.stateInOrder.hasNoConsumer { DeferredSettlements.giveUpUnobserved(promise) }
  }

  /// Cancels this promise if it is unobserved and has no consumer. For a caller that could not do so when it left.
  final func giveUpIfUnobserved() {
    if side.isUnobserved, stateInOrder.hasNoConsumer { DeferredSettlements.giveUpUnobserved(self) }
  }
}
