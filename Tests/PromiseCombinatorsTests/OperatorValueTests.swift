import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

/// An operator that passes on a value of any type.
enum ValueOperator: CaseIterable, Sendable {
  case gate, flight, cache, retry, after, delay, lazy, lazyMap, lazyThen, join, traverse, reduce, reduceAll, chain,
    using, unwrap

  func pass<Value: Sendable>(_ value: Value) -> Promise<Value> {
    switch self {
    case .gate: SerialGate().run { .fulfilled(value) }
    case .flight: SingleFlight<Int?, Value>().run(for: nil) { .fulfilled(value) }
    case .cache: ValueCache<Int?, Value>().value(for: nil) { .fulfilled(value) }
    case .retry: .retry { .fulfilled(value) }
    case .after: .after(.seconds(1), fulfill: value)
    case .delay: Promise.fulfilled(value).delay(.seconds(1))
    case .lazy: LazyPromise.run { value }.promise
    case .lazyMap: LazyPromise.run { 1 }.map { _ in value }.promise
    case .lazyThen: LazyPromise.run { 1 }.then { _ in .fulfilled(value) }.promise
    case .join: Promise.fulfilled(Promise.fulfilled(value)).join()
    case .traverse: Promise.traverse([value, value], concurrency: 2) { .fulfilled($0) }.map { $0[1] }
    case .reduce: Promise.fulfilled(value).reduce(0..<3) { value, _ in .fulfilled(value) }
    case .reduceAll: .reduce(all: [.fulfilled(value), .fulfilled(value)]) { value, _ in .fulfilled(value) }
    case .unwrap: Promise<Value?>.fulfilled(value).unwrap(or: value)
    case .chain: .chain(value, [{ .fulfilled($0) }, { .fulfilled($0) }])
    case .using: .using({ .fulfilled(1) }, release: { _ in Promise.fulfilled(()) }, { _ in .fulfilled(value) })
    }
  }
}

@Suite("Values of operators", .leavingNothing) struct OperatorValueTests {
  @Test(
    "An operator passes on values that are Void, nil or promises, and does not flatten promises", .rule("1.4"),
    arguments: ValueOperator.allCases)
  func values(_ kind: ValueOperator) {
    let world = TestWorld()
    let (void, none, promise) = world.run {
      (kind.pass(()), kind.pass(Int?.none), kind.pass(Promise<Int>.rejected(TestError(3))))
    }
    world.advance(by: .seconds(1))
    #expect(void.isFulfilled)
    #expect(none.state.value == .some(.none))
    #expect(promise.state.value?.failure == .test(3))
    #expect(world.armed == 0)
  }
}
