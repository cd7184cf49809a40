/// An observer that can be detached, for example of a loser of a race, or of a view that was deallocated (rule 4.9).
///
/// Retains the promise. Keep it only for as long as the observer may still be detached.
@usableFromInline
package struct AttachedObserver: Sendable {
  private let reaction: Reaction
  let promise: AnyPromise

  fileprivate init(_ reaction: Reaction, of promise: AnyPromise) {
    self.reaction = reaction
    self.promise = promise
  }

  /// Detaches the observer, so that it does not run. Returns `false` if it has run, is running, or was detached before.
  ///
  /// Its captures are released before this returns. The promise has one consumer less (rule 4.0), but stays as it is
  /// even if no consumer is left. May be called from any thread, including from the observer itself.
  ///
  /// - Complexity: O(1), amortised. Many dead entries cause a walk through the list of the promise.
  @usableFromInline @discardableResult
  package func detach() -> Bool {
    guard let departure = reaction.detachObserver() else { return false }
    if let unobserved = departure.leave() { DeferredSettlements.giveUpUnobserved(unobserved.promise) }
    return true
  }
}

extension Reaction {
  /// Detaches an observer and returns its departure, which is still counted as a consumer. Returns `nil` if the
  /// observer has run, is running, or was detached before.
  ///
  /// The caller retains the observed promise.
  final func detachObserver() -> Departure? {
    guard let before = detach() else { return nil }
    // Released here, under no lock, because the release may run a `deinit` of the client.
    _ = takeBody()
    if before.retainsContext { _ = takeContext() }
    return source.map { Departure(promise: $0) }
  }
}

extension AnyPromise {
  /// Attaches a body that receives the outcome of this promise, and that can be detached.
  ///
  /// Without a context the body runs inside the settling call, or inside this call if the promise is settled. Such a
  /// body must belong to the library. It must run no client code, and release nothing of the client.
  package final func attachObserver(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, body: consuming ReactionBody
  ) -> AttachedObserver {
    let promise = resolved
    let reaction = Reaction(from: promise, to: nil, on: context, traits: traits, body: consume body)
    promise.attach(reaction, as: .plain)
    // Uses the promise that the reaction waits for now. A promise with an observer is not collapsed any more, but this
    // promise may have been collapsed just before the push.
    return AttachedObserver(reaction, of: reaction.source ?? promise)
  }

  /// Attaches a body of the library that receives the outcome inside the call that settles this promise, or inside this
  /// call.
  ///
  /// Returns the observer, for a caller that retains this promise and may detach the observer.
  final func attachInlineObserver(_ body: consuming ReactionBody) -> Reaction {
    if acquiredState.isForwarded { return resolved.attachInlineObserver(body) }
    let reaction = Reaction(from: self, to: nil, on: nil, traits: [.value, .error], body: consume body)
    attach(reaction, as: .plain)
    return reaction
  }

  /// Attaches a function that receives the outcome of this promise, and that can be detached.
  package final func attachObserver(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, _ function: @escaping ReactionFunction
  ) -> AttachedObserver {
    attachObserver(on: context, handling: traits, body: ReactionBody(function))
  }

  /// Attaches a waiter that was not attached before, or resumes it if this promise is settled.
  final func attach(waiter: Waiter) {
    let promise = resolved
    waiter.redirect(to: promise)
    promise.attach(waiter, as: .plain)
  }
}
