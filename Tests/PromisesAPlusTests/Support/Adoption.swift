import PromiseCore
import TestSupport
import Testing

/// The ways in which a promise adopts another promise.
enum Adoption: String, CaseIterable, Sendable {
  case then, thenFulfilled, thenRejected, rescue, follow

  /// Returns a promise that has adopted the inner promise. The handler that returned the inner promise has run.
  func adopt<Value: Sendable>(_ inner: Promise<Value>) -> Promise<Value> {
    let context = ManualContext()
    let outer = attach(inner, on: context)
    #expect(context.runUntilIdle() == (self == .follow ? 0 : 1))
    return outer
  }

  /// Returns a promise that adopts the inner promise when the context runs, or at once with `follow`.
  func attach<Value: Sendable>(_ inner: Promise<Value>, on context: any ExecutionContext) -> Promise<Value> {
    switch self {
    case .then:
      return Promise.fulfilled(0).then(on: context) { _ in inner }
    case .thenFulfilled:
      return Promise.fulfilled(0).then(on: context, fulfilled: { _ in inner }, rejected: { throw $0 })
    case .thenRejected:
      return Promise<Int>.rejected(TestError(9))
        .then(on: context, fulfilled: { _ in throw TestError(8) }, rejected: { _ in inner })
    case .rescue:
      return Promise<Value>.rejected(TestError(9)).rescue(on: context) { _ in inner }
    case .follow:
      let deferred = Deferred<Value>()
      deferred.follow(inner)
      return deferred.promise
    }
  }
}

/// 2.3.2.2 and 2.3.2.3: checks that the outer promise has the outcome of the inner promise without a hop, and tells its
/// observer once.
func expectAdopted(_ outcome: Outcome, _ settling: Settling, _ adoption: Adoption, levels: Int = 1) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let outer = settling.settle(as: outcome) { inner in
    var outer = inner
    for _ in 0..<levels { outer = adoption.adopt(outer) }
    return outer.onSettled(on: context) { seen.append(Outcome($0)) }
  }
  expect(outer, shows: outcome)
  #expect(seen.entries == [])
  #expect(context.runUntilIdle() == 1)
  #expect(seen.entries == [outcome])
}

/// 2.3.2.2 and 2.3.2.3: checks that several promises that adopt the same promise all get the identical object.
func expectAdoptedByIdentity(_ outcome: Outcome, _ settling: Settling) {
  let token = Token()
  let outers = settling.settle(with: outcome.result(with: token)) { inner in
    Adoption.allCases.map { $0.adopt(inner) }
  }
  for outer in outers { #expect(outer.result?.token === token) }
}

/// 2.3.2.2 and 2.3.2.3: checks a chain of adopting promises that is built from the outside in. Each promise follows the
/// next promise before that promise follows any other.
func expectAdoptedFromOutside(_ outcome: Outcome, _ settling: Settling, levels: Int) {
  let owners = (0..<levels).map { _ in Deferred<Int>() }
  for (outer, inner) in zip(owners, owners.dropFirst()) { #expect(outer.follow(inner.promise)) }
  settling.settle(as: outcome) { innermost in
    for owner in owners { expect(owner.promise, shows: .pending) }
    #expect(owners[levels - 1].follow(innermost))
  }
  for owner in owners { expect(owner.promise, shows: outcome) }
}

/// 2.3.2.2 and 2.3.2.3: checks a race between the thread that adopts and the thread that settles.
func expectAdoptedWhileSettling(_ outcome: Outcome, _ adoption: Adoption) {
  for _ in 0..<50 {
    let inner = Deferred<Int>()
    let outer = Log<Promise<Int>>()
    let adopting: @Sendable () -> Void = {
      let context = ManualContext()
      outer.append(adoption.attach(inner.promise, on: context))
      context.runUntilIdle()
    }
    race([adopting, { inner.settle(outcome.result) }])
    expect(outer.entries[0], shows: outcome)
  }
}
