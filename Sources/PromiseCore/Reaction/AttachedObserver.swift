/// An observer that somebody may lose interest in: a loser of a race, a view that is gone (rule 4.9).
///
/// Keep it only as long as the observer may still be called off: it keeps the promise.
@usableFromInline
package struct AttachedObserver: Sendable {
  private let reaction: Reaction
  let promise: AnyPromise

  fileprivate init(_ reaction: Reaction, of promise: AnyPromise) {
    self.reaction = reaction
    self.promise = promise
  }

  /// Calls the observer off: it does not run, what it captured is released before this call returns, the promise has a
  /// consumer less (rule 4.0), and soon no trace of it. `false`: it has run, runs, or was called off before.
  ///
  /// The promise stays as it is, also if nobody else wants it. Any thread may call this, also the observer itself.
  ///
  /// - Complexity: O(1), amortised: with many dead entries, the list is walked.
  @usableFromInline @discardableResult
  package func detach() -> Bool {
    guard let departure = reaction.callOffObserver() else { return false }
    departure.leave()
    return true
  }
}

extension Reaction {
  /// Calls an observer off, which is still counted. `nil`: it has run, runs, or was called off before.
  ///
  /// The caller keeps the promise that was observed.
  final func callOffObserver() -> Departure? {
    guard detach() else { return nil }
    // Released here, under no lock: it may run a `deinit` of the user's.
    _ = takeBody()
    return source.map { Departure(promise: $0) }
  }
}

extension AnyPromise {
  /// Lets a body see the outcome of this promise, until it is detached.
  ///
  /// Without a context the body runs inside the settling call, or inside this one if the promise is settled: it must be the
  /// library's own, run no user code, and let nothing of the user's go.
  package final func attachObserver(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, body: consuming ReactionBody
  ) -> AttachedObserver {
    let promise = resolved
    let reaction = Reaction(from: promise, to: nil, on: context, traits: traits, body: consume body)
    promise.attach(reaction, as: .plain)
    // Where the reaction is now: a promise for which an observer waits is not collapsed any more, but this one may have been
    // collapsed just before the push.
    return AttachedObserver(reaction, of: reaction.source ?? promise)
  }

  /// Lets a body of the library's own see the outcome, inside the call that settles this promise, or inside this one.
  ///
  /// Returns the observer, for who keeps this promise and may call it off.
  final func attachInlineObserver(_ body: consuming ReactionBody) -> Reaction {
    if cell.isForwarded { return resolved.attachInlineObserver(body) }
    let reaction = Reaction(from: self, to: nil, on: nil, traits: [.value, .error], body: consume body)
    attach(reaction, as: .plain)
    return reaction
  }

  /// The same as `attachObserver(on:handling:body:)`, with a function.
  package final func attachObserver(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, _ function: @escaping ReactionFunction
  ) -> AttachedObserver {
    attachObserver(on: context, handling: traits, body: ReactionBody(function))
  }

  /// Pushes a waiter that was not attached before, or resumes it if this promise is settled.
  final func attach(waiter: Waiter) {
    let promise = resolved
    waiter.redirect(to: promise)
    promise.attach(waiter, as: .plain)
  }
}
