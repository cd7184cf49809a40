import TestSupport
import Testing

@Suite("Promises/A+ 2.3.2.2 and 2.3.2.3: adopting a promise that is or will be settled", .rule("2.8"))
struct Clause2_3_2_2And3Tests {
  @Test(
    "The outer promise has the same outcome, without a hop of its own (2.3.2.2, 2.3.2.3)", .rule("2.6", "3.1"),
    arguments: Settling.withOutcomes(Settling.allCases), Adoption.allCases)
  func becomesSettled(_ inner: (settling: Settling, outcome: Outcome), _ adoption: Adoption) {
    expectAdopted(inner, adoption)
  }

  @Test(
    "An outcome passes through several levels of adoption made from the inside out (2.3.2.2, 2.3.2.3)", .rule("2.6"),
    arguments: Settling.withOutcomes(Settling.allCases), Adoption.allCases)
  func fromTheInside(_ inner: (settling: Settling, outcome: Outcome), _ adoption: Adoption) {
    for levels in [2, 3, 100] { expectAdopted(inner, adoption, levels: levels) }
  }

  /// Checks that the outer promise has the outcome without a hop, and tells its observer once.
  private func expectAdopted(_ inner: (settling: Settling, outcome: Outcome), _ adoption: Adoption, levels: Int = 1) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let outer = inner.settling.settle(as: inner.outcome) { inner in
      var outer = inner
      for _ in 0..<levels { outer = adoption.adopt(outer) }
      return outer.onSettled(on: context) { seen.append(Outcome($0)) }
    }
    expect(outer, shows: inner.outcome)
    #expect(seen.entries == [])
    #expect(context.runUntilIdle() == 1)
    #expect(seen.entries == [inner.outcome])
  }

  @Test(
    "An outcome passes through several levels of adoption made from the outside in (2.3.2.2, 2.3.2.3)", .rule("3.1"),
    arguments: Settling.allCases, Outcome.settled)
  func fromTheOutside(_ settling: Settling, _ outcome: Outcome) {
    for levels in [2, 3, 100] {
      let owners = (0..<levels).map { _ in Deferred<Int>() }
      // Each promise follows the next promise before that promise follows any other.
      for (outer, inner) in zip(owners, owners.dropFirst()) { #expect(outer.follow(inner.promise)) }
      settling.settle(as: outcome) { innermost in
        for owner in owners { expect(owner.promise, shows: .pending) }
        #expect(owners[levels - 1].follow(innermost))
      }
      for owner in owners { expect(owner.promise, shows: outcome) }
    }
  }

  @Test(
    "All promises that adopt one promise get the very same object (2.3.2.2, 2.3.2.3)", .rule("2.6"),
    arguments: Settling.allCases, Outcome.settled)
  func sameObject(_ settling: Settling, _ outcome: Outcome) {
    let token = Token()
    let outers = settling.settle(with: outcome.result(with: token)) { inner in
      Adoption.allCases.map { $0.adopt(inner) }
    }
    for outer in outers { #expect(outer.result?.token === token) }
  }

  @Test(
    "The outer promise is settled whether the settling or the adopting thread comes first (2.3.2.2, 2.3.2.3)",
    .rule("2.6"), arguments: Adoption.allCases, Outcome.settled)
  func whileSettling(_ adoption: Adoption, _ outcome: Outcome) {
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
}
