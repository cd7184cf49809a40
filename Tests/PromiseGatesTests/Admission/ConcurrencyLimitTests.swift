import PromiseGates
import TestSupport
import Testing

@Suite("ConcurrencyLimit") struct ConcurrencyLimitTests {
  let world = TestWorld()

  @Test(
    "A limit admits its count of guests at a time, at least one, in order", arguments: [.min, 0, 1, 2, 3, 7, 50, .max])
  func count(_ places: Int) {
    let guests = world.run { Guests(20) }
    let results = world.run {
      let limit = ConcurrencyLimit(places)
      return (0..<20).map { limit.run(on: world.main, guests.body($0)) }
    }
    for number in 0..<20 {
      world.runUntilIdle()
      #expect(guests.order.entries == Array(0..<min(20, number + max(1, min(20, places)))))
      guests.owners[number].fulfill(number)
    }
    #expect(results.map(\.state.value) == (0..<20).map { $0 })
  }

  @Test("A limit admits guests in order, even if another place becomes free during an admission")
  func freedMeanwhile() {
    let limit = ConcurrencyLimit(2)
    let owners = (0..<4).map { _ in Deferred<Int>() }
    let entered = Log<Int>()
    let context = ManualContext()
    // The second owner settles while the gate passes the first waiting guest to its context.
    let leaving = CallingContext(context) { owners[1].fulfill(1) }
    let results = owners.indices.map { number in
      limit.run(on: number < 2 ? context : leaving) { entered.append(number, returning: owners[number].promise) }
    }
    context.runUntilIdle()
    context.runUntilIdle(after: owners[0].fulfill(0))
    #expect(entered.entries == [0, 1, 2, 3])
    #expect(results.map(\.isPending) == [false, false, true, true])
    for owner in owners[2...] { owner.fulfill(2) }
  }

  @Test("A limit admits the next guest even if a hook of the leaving guest cancels the guests before it")
  func reentrant() {
    let log = Log<Int>()
    let owner = world.run { Deferred<Int>() }
    let limit = ConcurrencyLimit(1)
    let results = world.run {
      [limit.run(on: world.main) { owner.promise }]
        + (1..<4).map { number in limit.run(on: world.main) { log.append(number, returning: .fulfilled(number)) } }
    }
    owner.onCancel { _ in
      results[1].cancel()
      results[2].cancel(upstream: true)
    }
    world.runUntilIdle()
    world.runUntilIdle(after: results[0].cancel())
    #expect(log.entries == [3])
    #expect(results.map(\.isCancelled) == [true, true, true, false])
  }

  @Test("A guest whose closure throws shows no progress", .rule("5.4"))
  func thrown() {
    let result: Promise<Int> = world.run { ConcurrencyLimit(1).run(on: world.main) { throw TestError(1) } }
    world.runUntilIdle()
    #expect(result.isRejected)
    #expect(result.progress == 0)
  }
}
