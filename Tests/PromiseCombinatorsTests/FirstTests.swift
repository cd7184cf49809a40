import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("any and race")
struct FirstTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test("any fulfils with the first value and ignores errors that come before it")
  func firstValue() {
    let any = Promise.any(inputs)
    owners[0].reject(TestError(0))
    #expect(any.isPending)
    owners[2].fulfill(2)
    owners[1].fulfill(1)
    #expect(any.values == 2)
  }

  @Test("any rejects with all errors in the order of the inputs if all inputs are rejected")
  func noValue() throws {
    let any = Promise.any(inputs, fileID: "Here", line: 9)
    for index in [2, 0, 1] { owners[index].reject(TestError(index)) }
    guard case .noneFulfilled(let errors, let site)? = any.ownError else {
      Issue.record("\(any.state)")
      return
    }
    #expect(errors.compactMap { ($0 as? TestError)?.number } == [0, 1, 2] && site.line == 9 && !any.isCancelled)
  }

  @Test("any is cancelled if all inputs are cancelled, but not if an input was only rejected", .rule("1.2"))
  func cancelled() {
    let any = Promise.any(inputs)
    let mixed = Promise.any(inputs + [.rejected(TestError())])
    for input in inputs { input.cancel() }
    #expect(any.isCancelled && mixed.isRejected && !mixed.isCancelled)
  }

  @Test("race takes the first outcome in time, and of settled inputs the first in their order")
  func race() {
    let race = Promise.race(inputs)
    owners[1].reject(TestError(1))
    owners[0].fulfill(0)
    #expect(race.errorNumber == 1)
    #expect(Promise.race([inputs[2], .fulfilled(5), .rejected(TestError())]).values == 5)
    #expect(Promise.race([inputs[2], .rejected(TestError(6)), .fulfilled(5)]).errorNumber == 6)
  }

  @Test("any and race without inputs reject instead of hanging")
  func empty() {
    for first in [Promise<Int>.any([]), .race([])] {
      guard case .emptyInput? = first.ownError else {
        Issue.record("\(first.state)")
        continue
      }
    }
  }

  @Test("A cancelled winner cancels the result of race with its reason")
  func cancelledRace() {
    let race = Promise.race(inputs)
    inputs[0].cancel(reason: TestError(3))
    #expect(race.isCancelled && race.errorNumber == 3)
  }

  @Test("Errors of losers of any and race are not reported, whether they come before or after the result", .rule("7.1"))
  func losers() throws {
    try TestWorld.run { world in
      let owners = (0..<3).map { _ in Deferred<Int>() }
      let any = Promise.any(owners.map(\.promise))
      let race = Promise.race(owners[1...].map(\.promise))
      owners[0].reject(TestError(0))
      owners[1].fulfill(1)
      owners[2].reject(TestError(2))
      world.expect(any.isFulfilled && race.isFulfilled)
    }
  }

  @Test("The error of a pending input is not reported if a settled input has already decided the race", .rule("7.1"))
  func lateInputs() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let first = Promise.race([.fulfilled(1), owner.promise])
      owner.reject(TestError(1))
      world.runUntilIdle()
      world.expect(first.isFulfilled)
    }
  }

  @Test("any and race of listed promises behave like any and race of a sequence")
  func listed() {
    let (any, race) = (Promise.any(inputs[0], inputs[1], inputs[2]), Promise.race(inputs[0], inputs[1]))
    let alone = (Promise.any(inputs[1]), Promise.race(inputs[1]))
    owners[0].reject(TestError(0))
    #expect(any.isPending && race.errorNumber == 0 && alone.0.isPending && alone.1.isPending)
    owners[1].fulfill(1)
    #expect(any.values == 1 && alone.0.values == 1 && alone.1.values == 1)
  }

  @Test(
    "any and race of listed promises give up their losers only if cancelsLosers is set", .rule("4.8"),
    arguments: [false, true])
  func listedLosers(_ cancelsLosers: Bool) {
    let any = Promise.any(inputs[0], inputs[1], cancelsLosers: cancelsLosers)
    let race = Promise.race(inputs[0], inputs[2], cancelsLosers: cancelsLosers)
    owners[0].fulfill(0)
    #expect(any.values == 0 && race.values == 0)
    #expect(inputs[1].isCancelled == cancelsLosers && inputs[2].isCancelled == cancelsLosers)
  }
}
