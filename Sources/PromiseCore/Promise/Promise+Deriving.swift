// What the links are made of. Inlinable and thin, so that a client's compiler builds the body where all types are
// concrete: machinery that looks generic metadata up for every handler costs a fifth of all time.

extension Promise {
  /// Derives a promise of this type from one of any type.
  @inlinable
  static func derived(
    from source: AnyPromise, at site: Site, on context: (any ExecutionContext)?, handling traits: Reaction.Traits,
    weight: Double = 0, body: consuming ReactionBody
  ) -> Promise {
    let target = Promise(pendingAt: site)
    source.derive(target, on: context, handling: traits, weight: weight, body: body)
    return target
  }

  /// The same, with a body for each outcome.
  @inlinable
  static func derived(
    from source: AnyPromise, at site: Site, on context: any ExecutionContext, handling traits: Reaction.Traits = [],
    weight: Double, fulfilled: consuming ReactionBody, rejected: consuming ReactionBody
  ) -> Promise {
    let target = Promise(pendingAt: site)
    source.derive(target, on: context, handling: traits, weight: weight, fulfilled: fulfilled, rejected: rejected)
    return target
  }

  /// Safe: a body is attached to a promise of the type for which it was built, and to the one derived there.
  @inlinable @inline(__always)
  static func downcast(_ promise: AnyPromise) -> Promise {
    unsafe unsafeDowncast(promise, to: Promise.self)
  }

  /// The value of a promise of this type that is known to be fulfilled.
  @inlinable
  static func value(of promise: AnyPromise) -> Value {
    #if DEBUG
      return reading(downcast(promise).fulfilledValue)
    #else
      return downcast(promise).fulfilledValue
    #endif
  }

  /// A handler makes the outcome of a promise of this type.
  @inlinable
  static func settle(_ promise: AnyPromise, by handler: () throws -> Value) -> Verdict {
    downcast(promise).claim(with: handler) ? .settled : .nothing
  }

  /// A handler returns the promise that one of this type becomes, or throws.
  @inlinable
  static func adopt(_ promise: AnyPromise, from handler: () throws -> Promise) -> Verdict {
    do {
      return unsafe .adopts(.passRetained(try handler()), copy)
    } catch {
      return promise.claim(rejecting: error) ? .settled : .nothing
    }
  }

  /// One promise of this type gets the outcome of another, with its cancelled mark, and the duty to look at it (rule 7.1).
  ///
  /// - Parameter isHandled: somebody has looked.
  @inlinable
  static func pass(_ from: AnyPromise, _ to: AnyPromise, isHandled: Bool = false) -> Verdict {
    guard let error = from.storedError else { return copy(from, to) }
    return to.claim(passing: error, from: from, isHandled: isHandled) ? .settled : .nothing
  }

  /// One promise of this type gets the value of another.
  @inlinable
  static var copy: ReactionFunction {
    { from, to in downcast(to).claim(fulfilling: downcast(from).fulfilledValue) ? .settled : .nothing }
  }
}
