// Links of combinators whose closures make promises: these belong to the combinator, and are given up with its result, in either form
// (rule 4.4).
// Their functions capture the closure: they capture types in any case, for the types are known where these are called only.

extension Promise {
  /// Becomes what the promise that a combinator's closure makes becomes: a root, whose progress is that promise's (rule 5.4).
  package static func startOwned(
    on context: any ExecutionContext, at site: CreationSite, _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    let promise = Promise(pendingAt: site)
    let body = ReactionBody { _, to in Promise.adopt(to, from: body) }
    promise.start(on: context, handling: .adopts, body: body)
    return promise
  }

  /// Becomes what this promise becomes, which a combinator's closure has returned.
  package final func owned(at site: CreationSite) -> Promise {
    .derived(from: self, at: site.site, on: nil, handling: .owns, body: ReactionBody(Promise.copy))
  }

  /// As `then`, of a promise that a combinator has made, or its closure. The way to here does not count as progress.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    linkOwned(on: context, at: site, handling: .hidesSource, weight: 0, transform)
  }

  /// As `then`, of a promise that a combinator has made, or its closure: one of several steps, whose progress adds up.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, at site: CreationSite, weight: Double,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    linkOwned(on: context, at: site, handling: [], weight: weight, transform)
  }

  private final func linkOwned<U: Sendable>(
    on context: any ExecutionContext, at site: CreationSite, handling traits: Reaction.Traits, weight: Double,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    let body = ReactionBody { from, to in
      Promise<U>.adopt(to) { try transform(Promise<Value>.value(of: from)) }
    }
    return .derived(
      from: self, at: site.site, on: context, handling: traits.union([.value, .adopts, .owns]), weight: weight,
      body: body)
  }

  /// As `rescue`, of a promise that a combinator's closure has made. A closure that returns `nil` lets the error pass,
  /// as a cancelled promise's always does.
  package final func rescueOwned(
    on context: any ExecutionContext, at site: CreationSite,
    _ transform: @escaping @Sendable (any Error) -> Promise?
  ) -> Promise {
    let body = ReactionBody { from, to in
      guard let error = from.storedError, !from.cellHint.isCancelled else { return Promise.pass(from, to) }
      guard let next = transform(error) else { return Promise.pass(from, to) }
      from.markHandled()
      return Promise.adopt(to) { next }
    }
    return .derived(from: self, at: site.site, on: context, handling: [.error, .recovers, .adopts, .owns], body: body)
  }
}

extension AnyPromise {
  /// As `thenOwned` of a promise whose value does not matter, and whose type is not known.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, at site: CreationSite, _ next: @escaping @Sendable () throws -> Promise<U>
  ) -> Promise<U> {
    .derived(
      from: self, at: site.site, on: context, handling: [.hidesSource, .value, .adopts, .owns],
      body: ReactionBody { _, to in Promise<U>.adopt(to, from: next) })
  }
}
