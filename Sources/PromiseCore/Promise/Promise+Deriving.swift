// What the links are made of. Inlinable and thin, so that a client's compiler builds the body where all types are
// concrete: machinery that looks generic metadata up for every handler costs a fifth of all time.

extension Promise {
  /// Derives a promise by a body that knows both types.
  @inlinable
  func derived<U: Sendable>(
    at site: Site, on context: (any ExecutionContext)?, handling traits: Link.Traits,
    body: @escaping @Sendable (_ from: Promise, _ to: Promise<U>) -> Verdict
  ) -> Promise<U> {
    let target = Promise<U>(pendingAt: site)
    derive(target, on: context, handling: traits) { from, to in
      body(Self.downcast(from), Promise<U>.downcast(to))
    }
    return target
  }

  /// Safe: a body is attached to a promise of the type for which it was built, and to the one derived there.
  @inlinable @inline(__always)
  static func downcast(_ promise: AnyPromise) -> Promise {
    unsafe unsafeDowncast(promise, to: Promise.self)
  }

  /// Claims with the outcome of another promise of the same type, and its cancelled mark. The caller publishes.
  @inlinable
  func claim(outcomeOf other: Promise) -> Bool {
    guard let error = other.error else { return claim(fulfilling: other.fulfilledValue) }
    return claim(rejecting: error, cancelled: other.cell.isCancelled)
  }

  /// What becomes of this promise if a handler returns a promise, or throws.
  @inlinable
  func adopting(_ handler: () throws -> Promise) -> Verdict {
    do {
      return .adopts(try handler(), Self.copy)
    } catch {
      return claim(rejecting: error) ? .settled : .nothing
    }
  }
}
