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

  /// Returns a promise for one client, derived from this one with the same outcome. If it is cancelled, it gives this
  /// promise up, as one of its consumers. It shows no source, through which the client could cancel this promise.
  package final func forClient(of operation: Operation, at site: CreationSite) -> Promise {
    .derived(from: self, at: site.site, on: nil, handling: [.owns, .hidesSource, .made(by: operation)], body: nil)
  }

  /// Returns a shield for one client of this promise. In contrast to other shields, it gives this promise up when it is
  /// cancelled, as one of its consumers (rule 4.10).
  package final func consumerShield(at site: CreationSite) -> Promise {
    .derived(
      from: self, at: site.site, on: nil, handling: [.owns, .shields, .hidesSource, .made(by: .shielded)], body: nil)
  }

  /// Does what `then` does, for a promise that belongs to a combinator. The progress of this promise does not count.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    adoptingLink(on: context, by: operation, at: site, handling: [.hidesSource, .owns], weight: 0, transform)
  }

  /// Does what `then` does, for a promise that a combinator's closure has returned. The derived promise is not below
  /// it, so it must only be returned to a handler that adopts it, or become an input. The progress of this promise does
  /// not count.
  package final func thenStep<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    adoptingLink(on: context, by: operation, at: site, handling: [.hidesSource, .owns, .isStep], weight: 0, transform)
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
  package final func thenLoop<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite, weight: Double,
    _ transform: @escaping @Sendable (_ value: Value, _ loop: AnyPromise) throws -> Promise<U>
  ) -> Promise<U> {
    let body = HandlerBody { from, to in Promise<U>.adoption { try transform(Promise<Value>.value(of: from), to) } }
    return .derived(
      from: self, at: site.site, on: context, handling: [.value, .made(by: operation)], weight: weight,
      body: body)
  }

  /// Does what `map` does, with a function of the library, inside the call that settles this promise. It must run no
  /// code of clients. A combinator's closure has made this promise, and the result is not below it (rule 4.0).
  package final func mapWithin<U: Sendable>(
    by operation: Operation, at site: CreationSite, _ transform: @escaping @Sendable (Value) -> U
  ) -> Promise<U> {
    let body = HandlerBody { from, _ in .value(Promise<U>.payload(of: transform(Promise.value(of: from)))) }
    return .derived(from: self, at: site.site, on: nil, handling: [.value, .isStep, .made(by: operation)], body: body)
  }

  /// Does what `rescue` does, for a promise that a combinator's closure has made. If the closure returns `nil`, the
  /// error passes through. The error of a cancelled promise always does.
  ///
  /// - Parameter transform: gets the error, this promise, and the promise that this call returns.
  package final func rescueOwned(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ transform: @escaping @Sendable (_ error: any Error, _ failed: AnyPromise, _ result: AnyPromise) -> Promise?
  ) -> Promise {
    let body = HandlerBody { from, to in
      guard let error = from.storedError, !from.relaxedState.isCancelled, let next = transform(error, from, to) else {
        return .passes(isHandled: false)
      }
      from.markHandled()
      return Promise.adoption { next }
    }
    return .derived(
      from: self, at: site.site, on: context, handling: [.error, .owns, .made(by: operation)], body: body)
  }
}

/// A place that an operation keeps until it has ended. When it is released, it is free in any case.
package protocol KeptPlace: AnyObject, Sendable {
  /// Called when the result of the operation waits for the promise that the closure has returned, or is settled.
  ///
  /// - Parameters:
  ///   - promise: `nil` if the closure has thrown.
  ///   - admission: the promise that was fulfilled when the operation got the place.
  func leave(after promise: AnyPromise?, admittedBy admission: PlacePromise)
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

  /// Does what `thenStep` does, for a promise whose type of value is not known and whose value does not matter.
  package final func thenStep<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite,
    _ next: @escaping @Sendable () throws -> Promise<U>
  ) -> Promise<U> {
    .derived(
      from: self, at: site.site, on: context, handling: [.hidesSource, .value, .owns, .isStep, .made(by: operation)],
      body: HandlerBody { _, _ in Promise<U>.adoption(of: next) })
  }

  /// Does what `asVoid` does, for a promise whose type of value is not known. A combinator's closure has made this
  /// promise, and the result is not below it (rule 4.0).
  package final func asVoid(at site: CreationSite) -> Promise<Void> {
    .derived(
      from: self, at: site.site, on: nil, handling: [.value, .isStep, .made(by: .asVoid)],
      body: HandlerBody { _, _ in .value(Payload()) })
  }
}

extension PlacePromise {
  /// Does what `thenOwned` does, for an operation that keeps a place until it has ended.
  package final func thenOwned<U: Sendable>(
    on context: any ExecutionContext, by operation: Operation, at site: CreationSite, keeping place: any KeptPlace,
    _ next: @escaping @Sendable () throws -> Promise<U>
  ) -> Promise<U> {
    let body = HandlerBody { from, _ in
      // Safe, because an entry names another source only if that was bypassed, and a place adopts nothing.
      let admission = unsafe unsafeDowncast(from, to: PlacePromise.self)
      do {
        let promise = try next()
        return unsafe .first(
          .adopts(.passRetained(promise)), then: { place.leave(after: promise, admittedBy: admission) })
      } catch {
        return .first(.error(error), then: { place.leave(after: nil, admittedBy: admission) })
      }
    }
    return .derived(
      from: self, at: site.site, on: context, handling: [.hidesSource, .value, .owns, .made(by: operation)], body: body)
  }
}

// Links that wait for a cleanup, such as the release of a resource (rule 2.10).

extension Promise {
  /// Returns what the body of a link returns whose handler begins a cleanup after this settled promise.
  ///
  /// - Parameters:
  ///   - entry: the link. It takes over the outcome of this promise when the cleanup has ended.
  ///   - begin: returns the promise for the end of the cleanup.
  @usableFromInline
  final func adoption(
    by entry: AnyPromise, using operation: Operation, afterCleanup begin: () throws -> AnyPromise
  ) -> BodyResult {
    let site = CreationSite(entry.site)
    let cleanup: AnyPromise
    do {
      cleanup = try begin()
    } catch {
      let failed = Promise<Void>(pendingAt: site)
      _ = failed.rejectAsOwner(error)
      cleanup = failed
    }
    return unsafe .adopts(.passRetained(passed(to: entry, afterCleanup: cleanup, by: operation, at: site)))
  }

  /// Returns a promise with the outcome of this settled promise, which settles when a cleanup has ended.
  ///
  /// An error of the cleanup replaces a value. It does not replace an error, and is then reported unless other code
  /// handles it (rule 7.1). The cleanup continues if the returned promise is cancelled.
  ///
  /// - Parameter entry: the link that adopts the returned promise.
  private func passed(
    to entry: AnyPromise, afterCleanup cleanup: AnyPromise, by operation: Operation, at site: CreationSite
  ) -> Promise {
    // A consumer that stays. Without it, a cancellation of the returned promise would give up the cleanup.
    cleanup.observe(on: nil, [.value, .error]) { _, _ in .nothing }
    let report = reportShared(with: entry)
    let body = HandlerBody { [self] cleanup, passed in
      if !relaxedState.isRejected, cleanup.relaxedState.isRejected { return .passes(isHandled: false) }
      if let report { passed.share(report) }
      return unsafe .adopts(.passRetained(self))
    }
    let passed = Promise.derived(
      from: cleanup, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .hidesSource, .awaitsCleanup, .made(by: operation)], body: body)
    if let report { passed.share(report) }
    // Even if it is cancelled before the cleanup has ended (rule 7.1).
    if acquiredState.isRejected { markDutyPassed(to: passed) }
    return passed
  }

  /// Returns a promise with the outcome of this one, which waits for a cleanup after this promise is settled. This
  /// promise was returned by a combinator's closure, and belongs to the derived one, which is not below it.
  package final func owned(
    untilCleanup cleanup: AnyPromise, by operation: Operation, at site: CreationSite
  ) -> Promise {
    let body = HandlerBody { from, to in
      let promise = Promise.downcast(from)
      return unsafe .adopts(.passRetained(promise.passed(to: to, afterCleanup: cleanup, by: operation, at: site)))
    }
    let result = Promise.derived(
      from: self, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .owns, .isStep, .made(by: operation)], body: body)
    result.staysUnfinished(until: cleanup)
    return result
  }

  /// Returns a promise for the cleanup that the closure begins for the value of this promise.
  ///
  /// If this promise is rejected, there is nothing to clean up, and the returned promise is fulfilled. The rejection
  /// counts as handled, because another link passes it on.
  package final func cleanup(
    by operation: Operation, at site: CreationSite, _ begin: @escaping @Sendable (Value) -> Promise<Void>
  ) -> Promise<Void> {
    let body = HandlerBody { from, _ in
      if from.errorMarkingHandled != nil { return .value(Payload()) }
      return Promise<Void>.adoption { begin(Promise.value(of: from)) }
    }
    return .derived(
      from: self, at: site.site, on: InlineContext.shared,
      handling: [.value, .error, .hidesSource, .made(by: operation)], body: body)
  }
}
