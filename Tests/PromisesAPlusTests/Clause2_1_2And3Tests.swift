import TestSupport
import Testing

@Suite("Promises/A+ 2.1.2 and 2.1.3: a fulfilled or a rejected promise", .rule("2.8")) struct Clause2_1_2And3Tests {
  private let context = ManualContext()
  private let seen = Log<Outcome>()

  @Test(
    "A second settlement never changes a settled promise, reaches a handler or returns true (2.1.2.1, 2.1.3.1)",
    .rule("1.1", "1.3"), arguments: Settling.withOutcomes(Settling.byOwner), SecondSettlement.allCases)
  func staysSettled(_ first: (settling: Settling, outcome: Outcome), _ second: SecondSettlement) {
    let deferred = Deferred<Int>()
    first.settling.settle(deferred, with: first.outcome.result) {
      deferred.promise.onSettled(on: context) { seen.append(Outcome($0)) }
    }
    #expect(!second.attempt(by: deferred))
    #expect(!onAnotherThread { second.attempt(by: deferred) })
    expect(deferred.promise, shows: first.outcome)
    #expect(context.runUntilIdle() == 1)
    #expect(seen.entries == [first.outcome])
  }

  @Test(
    "A second settlement from a handler between others never changes a settled promise (2.1.2.1, 2.1.3.1)",
    .rule("1.3"), arguments: Settling.withOutcomes(Settling.byOwner), SecondSettlement.allCases)
  func staysSettledInHandler(_ first: (settling: Settling, outcome: Outcome), _ second: SecondSettlement) {
    let answers = Log<Bool>()
    let deferred = Deferred<Int>()
    first.settling.settle(deferred, with: first.outcome.result) {
      deferred.promise
        .onSettled(on: context) { seen.append(Outcome($0)) }
        .onSettled(on: context) { _ in answers.append(second.attempt(by: deferred)) }
        .onSettled(on: context) { seen.append(Outcome($0)) }
    }
    #expect(context.runUntilIdle() == 3)
    #expect(answers.entries == [false])
    #expect(seen.entries == [first.outcome, first.outcome])
    expect(deferred.promise, shows: first.outcome)
  }

  @Test(
    "A settled promise stays the same when its owner is deallocated (2.1.2.1, 2.1.3.1)", .rule("1.1"),
    arguments: Settling.byOwner, Outcome.settled)
  func staysSettledWithoutOwner(_ settling: Settling, _ outcome: Outcome) {
    expect(settling.settle(as: outcome) { $0 }, shows: outcome)
  }

  @Test(
    "A handler that throws or returns a value does not change a settled promise (2.1.2.1, 2.1.3.1)", .rule("1.1"),
    arguments: Settling.allCases, Form.eachHandling)
  func staysSettledThoughHandled(_ settling: Settling, _ handled: (outcome: Outcome, form: Form)) {
    for fails in [false, true] {
      let (promise, derived) = settling.settle(as: handled.outcome) { promise in
        (promise, handled.form.attach(to: promise, on: context) { _ in if fails { throw TestError(2) } else { 2 } })
      }
      #expect(context.runUntilIdle() == 1)
      expect(promise, shows: handled.outcome)
      if !fails && handled.form.derives { expect(derived, shows: .value(2)) }
    }
  }

  @Test(
    "Every read and every handler of a settled promise gets the very same object (2.1.2.2, 2.1.3.2)", .rule("1.1"),
    arguments: Settling.allCases, Outcome.settled)
  func keepsItsObject(_ settling: Settling, _ outcome: Outcome) {
    let token = Token()
    let seen = Log<ObjectIdentifier?>()
    let note: @Sendable (Result<Token, any Error>) -> Void = { seen.append($0.token.map { ObjectIdentifier($0) }) }
    let promise = settling.settle(with: outcome.result(with: token)) { $0.onSettled(on: context, note) }
    #expect(promise.result?.token === token)
    context.runUntilIdle()
    promise.onSettled(on: context, note)
    context.runUntilIdle()
    #expect(seen.entries == [ObjectIdentifier(token), ObjectIdentifier(token)])
    #expect(promise.result?.token === token)
  }
}
