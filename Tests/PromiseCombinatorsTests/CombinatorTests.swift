import PromiseCombinators
import TestSupport
import Testing

@Suite("Combinators") struct CombinatorTests {
  let owners = (0..<3).map { _ in Deferred<Int>() }
  var inputs: [Promise<Int>] { owners.map(\.promise) }

  @Test(
    "all with cancelRemaining detaches an input from a promise that the same error just reaches", .rule("4.0", "4.8"))
  func cancelledWhilePassing() {
    let context = ManualContext()
    let passing = inputs[0].shielded()
    owners[1].follow(passing)
    let all = Promise.all([inputs[0], inputs[1]], onRejection: .cancelRemaining)
    owners[0].reject(TestError(1))
    #expect(all.isRejected && passing.isRejected && inputs[1].isRejected)
    let below = inputs[1].recover(on: context) { _ in 0 }
    passing.cancel()
    #expect(below.isPending)
    context.runUntilIdle()
    #expect(below.isFulfilled)
  }

  @Test("Errors of the inputs of all are not reported, but an unhandled rejection of the result is", .rule("7.1"))
  func unhandled() throws {
    try TestWorld.run { world in
      let owners = [Deferred<Int>(), Deferred<Int>()]
      let handled = Promise.all(owners.map(\.promise)).recover(on: world.main) { _ in [] }
      owners[0].reject(TestError(0))
      world.runUntilIdle(after: owners[1].reject(TestError(1)))
      world.expect(handled.isFulfilled)
    }
    let report = #expect(throws: WorldReport.self) {
      try TestWorld.run { _ in _ = Promise.all([Promise<Int>.rejected(TestError(0))], fileID: "Here", line: 5) }
    }
    #expect(report?.unhandledRejections.map(\.createdAt.line) == [5])
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
      let settled = Promise.race([Promise<Int>.fulfilled(1), .rejected(TestError(3))])
      world.expect(any.isFulfilled && race.isFulfilled && settled.isFulfilled)
    }
  }

  @Test("The winner is found even if a client holds another promise than its owner", arguments: [0, 1])
  func clientPromise(_ place: Int) {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let input = owner.promise
    let inputs = place == 0 ? [input, owners[0].promise] : [owners[0].promise, input]
    let any = Promise.any(enumerating: inputs)
    let race = Promise.race(enumerating: inputs)
    let keyed = Promise.race(["other": owners[0].promise, "owned": input])
    owner.fulfill(5)
    #expect(any.state.value?.offset == place)
    #expect(any.state.value?.value == 5)
    #expect(race.state.value?.offset == place)
    #expect(race.state.value?.value == 5)
    #expect(keyed.state.value?.key == "owned")
    #expect(keyed.state.value?.value == 5)
  }

  @Test("An enumerated sequence is read once, inside the call")
  func readOnce() {
    let asked = Log<Int>()
    let race = Promise.race(enumerating: SingleUseSequence(3, asked).lazy.map { Promise.fulfilled($0) })
    #expect(asked.entries == [0, 1, 2, 3])
    #expect(race.state.value?.offset == 0)
  }
}
