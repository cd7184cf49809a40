import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("all")
struct AllTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test("row E1: the values come in the order of the inputs, whatever the order in which they settle")
  func order() {
    let all = Promise.all(inputs)
    for index in [2, 0, 1] {
      #expect(all.isPending)
      owners[index].fulfill(index)
    }
    #expect(all.values == [0, 1, 2])
  }

  @Test("row E1: no promises give no values, at once; any sequence will do")
  func empty() {
    #expect(Promise.all([Promise<Int>]()).values == [])
    #expect(Promise.all((1...3).lazy.map { Promise.fulfilled($0) }).values == [1, 2, 3])
  }

  @Test("rows E1 N11: the first error in time rejects, at once, and the others go on")
  func failure() {
    let all = Promise.all(inputs)
    owners[1].reject(TestError(1))
    owners[0].reject(TestError(0))
    #expect(all.errorNumber == 1)
    #expect(inputs[2].isPending)
  }

  @Test("rule 1.2: the result of a cancelled input is cancelled, with its reason")
  func cancelledInput() {
    let all = Promise.all(inputs)
    inputs[1].cancel(reason: TestError(7))
    #expect(all.isCancelled && all.errorNumber == 7)
  }

  @Test("row N11: told to wait for all, it is rejected with the first error when the last is settled")
  func waitForAll() {
    let all = Promise.all(inputs, onFailure: .waitForAll)
    owners[1].reject(TestError(1))
    owners[0].reject(TestError(0))
    #expect(all.isPending)
    owners[2].fulfill(2)
    #expect(all.errorNumber == 1)
  }

  @Test(
    "all gives the others up when it was told to, and leaves those alone that another consumer wants",
    .rule("4.6", "4.8"), .feature("N11"))
  func cancelRemaining() {
    let context = ManualContext()
    let other = inputs[2].map(on: context) { $0 }
    let all = Promise.all(inputs, onFailure: .cancelRemaining)
    owners[0].fulfill(0)
    owners[1].reject(TestError(1))
    #expect(all.errorNumber == 1 && !all.isCancelled)
    #expect(inputs[2].isPending && other.isPending && inputs[0].isFulfilled)
    other.cancel(upstream: true)
    #expect(inputs[2].isCancelled)
  }

  @Test(
    "rules 4.0 4.8: of the others the first settles one that has adopted what the error is just passing to: it has left that"
  )
  func cancelledWhilePassing() {
    let context = ManualContext()
    let passing = inputs[0].shielded()
    owners[1].follow(passing)
    let all = Promise.all([inputs[0], inputs[1]], onFailure: .cancelRemaining)
    owners[0].reject(TestError(1))
    #expect(all.isRejected && passing.isRejected && inputs[1].isRejected)
    let below = inputs[1].recover(on: context) { _ in 0 }
    passing.cancel()
    #expect(below.isPending)
    context.runUntilIdle()
    #expect(below.isFulfilled)
  }

  @Test("row E1: inputs that are settled already, in any mix, settle the result inside the call")
  func settledAlready() {
    #expect(Promise.all([.fulfilled(1), .fulfilled(2)]).values == [1, 2])
    #expect(Promise.all([.fulfilled(1), .rejected(TestError(4)), .rejected(TestError(5))]).errorNumber == 4)
    let pending = Deferred<Int>()
    let late = Promise.all([.fulfilled(1), pending.promise, .fulfilled(3)])
    #expect(late.isPending)
    pending.fulfill(2)
    #expect(late.values == [1, 2, 3])
  }

  @Test("row E1: one promise may stand in the input several times")
  func twice() {
    let all = Promise.all([inputs[0], inputs[1], inputs[0]])
    owners[0].fulfill(5)
    #expect(all.isPending)
    owners[1].fulfill(6)
    #expect(all.values == [5, 6, 5])
  }

  @Test("row E2: promises of any types, and any number, give a tuple")
  func types() throws {
    let text = Deferred<String>()
    let pair = Promise.all(inputs[0], text.promise)
    let four = Promise.all(.fulfilled(1), .fulfilled("b"), .fulfilled(3.0), .fulfilled([4]))
    owners[0].fulfill(1)
    #expect(pair.isPending)
    text.fulfill("a")
    let (number, letter) = try #require(try pair.result?.get())
    #expect(number == 1 && letter == "a")
    let (one, two, three, array) = try #require(try four.result?.get())
    #expect(one == 1 && two == "b" && three == 3 && array == [4])
  }

  @Test("row E2: the tuple fails as the array does")
  func typesFail() {
    let text = Deferred<String>()
    let pair = Promise.all(inputs[0], text.promise, onFailure: .cancelRemaining)
    owners[0].reject(TestError(3))
    #expect(pair.isRejected && text.promise.isCancelled)
  }

  @Test("rule 7.1: nobody need look at the errors of inputs, whenever they come; at that of the result, yes")
  func unhandled() throws {
    try TestWorld.run { world in
      let owners = [Deferred<Int>(), Deferred<Int>()]
      let handled = Promise.all(owners.map(\.promise)).recover(on: world.main) { _ in [] }
      owners[0].reject(TestError(0))
      owners[1].reject(TestError(1))
      world.runUntilIdle()
      world.expect(handled.isFulfilled)
    }
    let report = #expect(throws: WorldReport.self) {
      try TestWorld.run { _ in _ = Promise.all([Promise<Int>.rejected(TestError(0))], fileID: "Here", line: 5) }
    }
    #expect(report?.unhandledRejections.map(\.createdAt.line) == [5])
  }
}
