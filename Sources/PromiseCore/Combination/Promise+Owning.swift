// Links for combinators whose closures make promises. These promises belong to the combinator, and are given up
// whenever its result is cancelled (rule 4.4).
//
// The functions capture the closure. They capture types in any case, because the types are known only where these links
// are called.

extension Promise {
  /// Returns a root promise that adopts the promise which a combinator's closure makes. Its progress is that of the
  /// adopted promise (rule 5.4).
  package static func startOwned(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    started(
      on: context, at: site.site, handling: [.value, .hidesSource, .made(by: operation)],
      body: HandlerBody { _, _ in Promise.adoption(of: body) })
  }

  /// Does what `startOwned` does, for the first step of a loop. The closure gets the promise that this call returns.
  package static func startLoop(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ body: @escaping @Sendable (_ loop: AnyPromise) throws -> Promise
  ) -> Promise {
    started(
      on: context, at: site.site, handling: [.value, .hidesSource, .made(by: operation)],
      body: HandlerBody { _, to in Promise.adoption { try body(to) } })
  }

  /// Returns a promise derived from this one with the same outcome. This promise was returned by a combinator's
  /// closure, and belongs to the derived one.
  package final func owned(by operation: Operation, at site: CreationSite) -> Promise {
    .derived(from: self, at: site.site, on: nil, handling: [.owns, .made(by: operation)], body: nil)
  }

  /// Does what `then` does, for a promise that belongs to a combinator. The progress of this promise does not count.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    adoptingLink(on: context, by: operation, at: site, handling: [.hidesSource, .owns], weight: 0, transform)
  }

  /// Does what `then` does, for a promise that belongs to a combinator. The progress of the steps adds up.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite, weight: Double,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    adoptingLink(on: context, by: operation, at: site, handling: .owns, weight: weight, transform)
  }

  /// Does what `then` does, for an operator that is built on it. Its share in the progress is 0.
  package final func then<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    adoptingLink(on: context, by: operation, at: site, handling: [], weight: 0, transform)
  }

  private final func adoptingLink<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite, handling traits: Traits,
    weight: Double,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    let body = HandlerBody { from, _ in Promise<U>.adoption { try transform(Promise<Value>.value(of: from)) } }
    return .derived(
      from: self, at: site.site, on: context, handling: traits.union([.value, .made(by: operation)]), weight: weight,
      body: body)
  }

  /// Does what `then` does, for the first step of a loop. The closure also gets the promise that this call returns.
  package final func thenLoop(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (_ value: Value, _ loop: AnyPromise) throws -> Promise
  ) -> Promise {
    let body = HandlerBody { from, to in Promise.adoption { try transform(Promise.value(of: from), to) } }
    return .derived(
      from: self, at: site.site, on: context, handling: [.value, .made(by: operation)], weight: 1,
      body: body)
  }

  /// Does what `rescue` does, for a promise that a combinator's closure has made. If the closure returns `nil`, the
  /// error passes through. The error of a cancelled promise always does.
  ///
  /// - Parameter transform: gets the error, and the promise that this call returns.
  package final func rescueOwned(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (_ error: any Error, _ result: AnyPromise) -> Promise?
  ) -> Promise {
    let body = HandlerBody { from, to in
      guard let error = from.storedError, !from.relaxedState.isCancelled, let next = transform(error, to) else {
        return .passes(isHandled: false)
      }
      from.markHandled()
      return Promise.adoption { next }
    }
    return .derived(
      from: self, at: site.site, on: context, handling: [.error, .owns, .made(by: operation)], body: body)
  }
}

extension AnyPromise {
  /// Does what `thenOwned` does, for a promise whose type of value is not known and whose value does not matter.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ next: @escaping @Sendable () throws -> Promise<U>
  ) -> Promise<U> {
    .derived(
      from: self, at: site.site, on: context, handling: [.hidesSource, .value, .owns, .made(by: operation)],
      body: HandlerBody { _, _ in Promise<U>.adoption(of: next) })
  }
}
