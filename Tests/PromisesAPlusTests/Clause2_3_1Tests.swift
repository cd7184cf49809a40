import TestSupport
import Testing

/// The `TypeError` of Promises/A+ corresponds to `PromiseError.cycle`.
@Suite("Promises/A+ 2.3.1: a promise that would wait for itself", .rule("2.8", "3.2")) struct Clause2_3_1Tests {
  /// Returns the links that adopt a promise and have a handler for the outcome.
  static func adopting(_ outcome: Outcome) -> [Adoption] {
    outcome.isValue ? [.then, .thenFulfilled] : [.rescue, .thenRejected]
  }

  @Test(
    "A handler that returns its own derived promise, or a descendant of it, rejects the derived promise (2.3.1)",
    arguments: Settling.allCases, Outcome.settled)
  func handlerReturnsItsOwnPromise(_ settling: Settling, _ outcome: Outcome) {
    for adoption in Self.adopting(outcome) {
      for isDescendant in [false, true] {
        let context = ManualContext()
        let derived = settling.settle(as: outcome) { promise in
          ring(through: adoption, from: promise, on: context) { derived in
            isDescendant ? derived.map(on: context) { $0 }.then(on: context) { .fulfilled($0) } : derived
          }
        }
        expect(derived, shows: .pending)
        context.runUntilIdle()
        expect(derived, shows: .cycle)
      }
    }
  }

  @Test(
    "The owner that closes a cycle of owners, or follows itself, causes all their promises to be rejected (2.3.1)",
    arguments: 1...5)
  func ringOfOwners(_ length: Int) {
    let owners = (0..<length).map { _ in Deferred<Int>() }
    for (outer, inner) in zip(owners, owners.dropFirst()) { outer.follow(inner.promise) }
    for owner in owners { expect(owner.promise, shows: .pending) }
    owners[length - 1].follow(owners[0].promise)
    for owner in owners { expect(owner.promise, shows: .cycle) }
  }

  @Test("An owner that follows a descendant of its promise closes a cycle, which rejects both promises (2.3.1)")
  func followsADescendant() {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let deferred = Deferred<Int>()
    let last = deferred.promise.map(on: context) { $0 }.tap(on: context) { _ in }
    last.onRejected(on: context) { seen.append(Outcome($0)) }
    deferred.follow(last)
    expect(deferred.promise, shows: .cycle)
    expect(last, shows: .cycle)
    context.runUntilIdle()
    #expect(seen.entries == [.cycle])
  }

  @Test("A cycle that two threads close together is found (2.3.1)")
  func closedByTwoThreads() {
    for _ in 0..<50 {
      let one = Deferred<Int>()
      let other = Deferred<Int>()
      race([{ one.follow(other.promise) }, { other.follow(one.promise) }])
      expect(one.promise, shows: .cycle)
      expect(other.promise, shows: .cycle)
    }
  }

  @Test("Two promises that adopt the same or a settled promise are not a cycle (2.3.1)", arguments: Settling.allCases)
  func noRing(_ settling: Settling) {
    let context = ManualContext()
    let (one, other, back) = settling.settle(as: .value(1)) { promise in
      let one = Adoption.then.attach(promise, on: context)
      let other = promise.then(on: context) { _ in one }
      return (one, other, promise.then(on: context) { _ in promise })
    }
    context.runUntilIdle()
    for promise in [one, other, back] { expect(promise, shows: .value(1)) }
  }
}

/// Derives a promise whose handler passes that derived promise to the closure and returns the result.
private func ring(
  through adoption: Adoption, from promise: Promise<Int>, on context: any ExecutionContext,
  _ making: @escaping @Sendable (Promise<Int>) -> Promise<Int>
) -> Promise<Int> {
  let derived = Locked<Promise<Int>?>(nil)
  let own: @Sendable () throws -> Promise<Int> = {
    guard let derived = derived.withLock({ $0 }) else { throw TestError(99) }
    return making(derived)
  }
  let result =
    switch adoption {
    case .then, .follow: promise.then(on: context) { _ in try own() }
    case .rescue: promise.rescue(on: context) { _ in try own() }
    case .thenFulfilled: promise.then(on: context, fulfilled: { _ in try own() }, rejected: { throw $0 })
    case .thenRejected: promise.then(on: context, fulfilled: { .fulfilled($0) }, rejected: { _ in try own() })
    }
  derived.withLock { $0 = result }
  return result
}
