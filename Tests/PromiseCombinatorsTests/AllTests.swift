import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("all")
struct AllTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test("all fulfils with the values in the order of the inputs, whatever the order in which they settle")
  func order() {
    let all = Promise.all(inputs)
    for index in [2, 0, 1] {
      #expect(all.isPending)
      owners[index].fulfill(index)
    }
    #expect(all.values == [0, 1, 2])
  }

  @Test("all takes any sequence of promises, and fulfils at once with no values if the sequence is empty")
  func empty() {
    #expect(Promise.all([Promise<Int>]()).values == [])
    #expect(Promise.all((1...3).lazy.map { Promise.fulfilled($0) }).values == [1, 2, 3])
  }

  @Test("all rejects at once with the first error in time, and leaves the other inputs pending")
  func failure() {
    let all = Promise.all(inputs)
    owners[1].reject(TestError(1))
    owners[0].reject(TestError(0))
    #expect(all.errorNumber == 1)
    #expect(inputs[2].isPending)
  }

  @Test("A cancelled input cancels the result of all with its reason", .rule("1.2"))
  func cancelledInput() {
    let all = Promise.all(inputs)
    inputs[1].cancel(reason: TestError(7))
    #expect(all.isCancelled && all.errorNumber == 7)
  }

  @Test("all with waitForAll rejects with the first error when the last input settles")
  func waitForAll() {
    let all = Promise.all(inputs, onFailure: .waitForAll)
    owners[1].reject(TestError(1))
    owners[0].reject(TestError(0))
    #expect(all.isPending)
    owners[2].fulfill(2)
    #expect(all.errorNumber == 1)
  }

  @Test(
    "all with cancelRemaining does not cancel an input that another consumer still wants",
    .rule("4.6", "4.8"))
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
    "all with cancelRemaining detaches an input from a promise that the same error is just reaching",
    .rule("4.0", "4.8")
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

  @Test("all settles inside the call if its inputs are settled, and otherwise waits for the pending input")
  func settledAlready() {
    #expect(Promise.all([.fulfilled(1), .fulfilled(2)]).values == [1, 2])
    #expect(Promise.all([.fulfilled(1), .rejected(TestError(4)), .rejected(TestError(5))]).errorNumber == 4)
    let pending = Deferred<Int>()
    let late = Promise.all([.fulfilled(1), pending.promise, .fulfilled(3)])
    #expect(late.isPending)
    pending.fulfill(2)
    #expect(late.values == [1, 2, 3])
  }

  @Test("all takes the same promise as several inputs")
  func twice() {
    let all = Promise.all([inputs[0], inputs[1], inputs[0]])
    owners[0].fulfill(5)
    #expect(all.isPending)
    owners[1].fulfill(6)
    #expect(all.values == [5, 6, 5])
  }

  @Test("all of promises of different types fulfils with a tuple of their values")
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

  @Test("all of promises of different types rejects and cancels remaining inputs as all of a sequence does")
  func typesFail() {
    let text = Deferred<String>()
    let pair = Promise.all(inputs[0], text.promise, onFailure: .cancelRemaining)
    owners[0].reject(TestError(3))
    #expect(pair.isRejected && text.promise.isCancelled)
  }

  @Test("Errors of the inputs of all are not reported, but an unhandled rejection of the result is", .rule("7.1"))
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
