// The functions from which the links are built.
//
// They are inlinable and thin, so that a client's compiler builds the body of a handler where all types are concrete.
// Looking up generic metadata for every handler would take a fifth of the run time.

extension Promise {
  /// Derives a promise of this type from a promise of any type.
  @_alwaysEmitIntoClient
  static func derived(
    from source: AnyPromise, at site: Site, on context: (any ExecutionContext)?, handling traits: Reaction.Traits,
    weight: Double = 0, body: consuming ReactionBody
  ) -> Promise {
    let target = Promise(pendingAt: site)
    source.derive(target, on: context, handling: traits, weight: weight, body: body)
    return target
  }

  /// Derives a promise of this type, with a body for each outcome.
  @_alwaysEmitIntoClient
  static func derived(
    from source: AnyPromise, at site: Site, on context: any ExecutionContext, handling traits: Reaction.Traits = [],
    weight: Double, fulfilled: consuming ReactionBody, rejected: consuming ReactionBody
  ) -> Promise {
    let target = Promise(pendingAt: site)
    source.derive(target, on: context, handling: traits, weight: weight, fulfilled: fulfilled, rejected: rejected)
    return target
  }

  /// Casts a promise to this type without a check.
  ///
  /// Safe: a body is attached to a promise of the type for which it was built, and to the promise derived there.
  @_alwaysEmitIntoClient @inline(__always)
  static func downcast(_ promise: AnyPromise) -> Promise {
    unsafe unsafeDowncast(promise, to: Promise.self)
  }

  /// Returns the value of a promise of this type that is known to be fulfilled.
  @_alwaysEmitIntoClient
  static func value(of promise: AnyPromise) -> Value {
    #if DEBUG
      return reading(downcast(promise).fulfilledValue)
    #else
      return downcast(promise).fulfilledValue
    #endif
  }

  /// Claims a promise of this type with the value that a handler returns or the error that it throws.
  @_alwaysEmitIntoClient
  static func settle(_ promise: AnyPromise, by handler: () throws -> Value) -> Verdict {
    downcast(promise).claim(with: handler) ? .settled : .nothing
  }

  /// Makes a promise of this type adopt the promise that a handler returns, or claims it with the error that the
  /// handler throws.
  @_alwaysEmitIntoClient
  static func adopt(_ promise: AnyPromise, from handler: () throws -> Promise) -> Verdict {
    do {
      return unsafe .adopts(.passRetained(try handler()), copy)
    } catch {
      return promise.claim(rejecting: error) ? .settled : .nothing
    }
  }

  /// Claims a promise of this type with the outcome of another. A rejection passes on its cancelled mark and the duty
  /// to handle it (rule 7.1).
  ///
  /// - Parameter isHandled: whether the rejection was just handled.
  @_alwaysEmitIntoClient
  static func pass(_ from: AnyPromise, _ to: AnyPromise, isHandled: Bool = false) -> Verdict {
    guard let error = from.storedError else { return copy(from, to) }
    return to.claim(passing: error, from: from, isHandled: isHandled) ? .settled : .nothing
  }

  /// Returns the function that claims one promise of this type with the value of another.
  @_alwaysEmitIntoClient
  static var copy: ReactionFunction {
    { from, to in downcast(to).claim(fulfilling: downcast(from).fulfilledValue) ? .settled : .nothing }
  }
}
