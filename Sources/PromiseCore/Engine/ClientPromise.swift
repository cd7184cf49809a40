// The promise of a `Deferred(cancelsWithoutClients: true)` is cancelled when no client wants its outcome any more. That
// is so when no client retains it, and it has no consumer (rule 4.6).
//
//     Deferred ──▶ owner's promise ◀── client promise ◀── clients
//                        └─ ─ ─ (weak) ─ ─ ─▲
//
// Clients get a *client promise*, which is forwarded from its creation on. Every operation on it is an operation on the
// owner's promise, where entries wait, too. So the only purpose of the client promise is that its `deinit` tells that
// no client is left. The owner's promise is then marked as *unobserved* and given up, which cancels it unless it has
// consumers. If it has, the last consumer that leaves finds the mark and cancels it.

extension AnyPromise {
  /// Makes clients of this new promise get a client promise in its place.
  final func beginObservingClients() { withState { $0.bits |= StateWord.observesClients } }

  /// The promise that clients get. That is a client promise if the owner observes its clients, otherwise this promise.
  @usableFromInline final var forClients: AnyPromise { relaxedState.isObservingClients ? clientPromise : self }

  /// The client promise, which is created if none is alive.
  private final var clientPromise: AnyPromise {
    if let existing = locked({ side?.clientPromise }) { return existing }
    let new = makeClientPromise()
    // The `deinit` of a client promise acquires the lock, so none may be released under it.
    return withExtendedLifetime(new) {
      locked {
        // Another thread may have been faster.
        if let existing = sideTable.clientPromise { return existing }
        sideTable.clientPromise = new
        sideTable.isUnobserved = false
        return new
      }
    }
  }

  /// Called by the `deinit` of this client promise. Cancels the owner's promise if that has no consumers.
  @inline(never)
  final func releaseClientPromise() {
    let promise = forwardee
    let state = promise.lock()
    // Released outside the lock.
    let successor = promise.side?.clientPromise
    if successor == nil { promise.side?.isUnobserved = true }
    promise.unlock(state)
    if successor == nil, state.isPending, state.consumers == 0 { UnnestedWork.giveUpUnobserved(promise) }
  }

  /// No client retains this promise, whose owner observes that.
  final var isUnobserved: Bool { locked { side?.isUnobserved ?? false } }
}
