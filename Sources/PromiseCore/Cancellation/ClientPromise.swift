// The promise of a `Deferred(cancelWhenUnobserved: true)` is cancelled when no client wants its outcome any more: no client
// holds it, and it has no consumer (rule 4.6).
//
//     Deferred ──▶ owner's promise ◀── client promise ◀── clients
//                        └─ ─ ─ (weak) ─ ─ ─▲
//
// Clients get a *client promise*, which is born forwarded: every operation on it is an operation on the owner's promise,
// where reactions wait, too. So the client promise only tells, by its `deinit`, that no client is left. The owner's promise
// is then given up, which cancels it unless it has consumers. Otherwise, the last consumer that leaves cancels it.

extension AnyPromise {
  /// Clients of this new promise get a client promise in its place.
  final func beginObservingClients() { side.markObservingClients() }

  /// What clients get: a client promise if the owner observes its clients, otherwise this promise.
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

  /// This client promise is being deallocated: the owner's promise is cancelled if it has no consumers.
  @inline(never)
  final func releaseClientPromise() {
    let promise = forwardee
    // Released outside the lock.
    let successor = promise.side.table?.locked { contents in
      let successor = contents.clientPromise
      if successor == nil { promise.side.markUnobserved() }
      return successor
    }
    // In order: a consumer leaves, and then looks for the mark. Either it finds the mark, or it is not counted here.
    if successor == nil, promise.cellInOrder.hasNoConsumer { DeferredSettlements.giveUpUnobserved(promise) }
  }

  /// The last consumer has left this promise.
  final func lostLastConsumer() {
    if side.isUnobserved { DeferredSettlements.giveUpUnobserved(self) }
  }
}
