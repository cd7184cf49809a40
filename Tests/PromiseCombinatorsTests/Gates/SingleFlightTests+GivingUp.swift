import PromiseCombinators
import TestSupport
import Testing

extension SingleFlightTests {
  @Test("A flight that all clients cancel before its start never runs and releases its captures")
  func cancelledBefore() {
    let census = Tracked.Census()
    let context = ManualContext()
    let results = world.run {
      (0..<3).map { _ in
        flights.run("key", on: context) { [tracked = Tracked(census), begun] in
          withExtendedLifetime(tracked) { begun.append("run") }
          return .fulfilled(1)
        }
      }
    }
    #expect(census.living == 1, "those of the others are not needed")
    results[0].cancel()
    results[2].cancel(upstream: true)
    #expect(results[1].isPending && census.living == 1, "one is left, though not the one whose closure it is")
    results[1].cancel()
    #expect(census.living == 0)
    let next = ask()
    world.runUntilIdle()
    context.runUntilIdle()
    #expect(begun.entries == ["key"] && next.isPending)
  }

  @Test(
    "The last client to give up leaves work that is wanted elsewhere, and the next client starts a new flight",
    .rule("4.8")
  )
  func lastGivesUp() {
    let other = world.run { owners[0].promise.map(on: world.main) { $0 } }
    let first = ask()
    world.runUntilIdle()
    first.cancel()
    #expect(owners[0].promise.isPending && other.isPending)
    let second = ask()
    world.runUntilIdle()
    owners[0].fulfill(1)
    #expect(begun.entries.count == 2 && second.isPending)
    owners[1].fulfill(2)
    #expect(second.values == 2)
  }

  @Test("A result that a client releases does not count as cancelled, so the flight goes on")
  func forgotten() {
    do { _ = ask() }
    world.runUntilIdle()
    #expect(begun.entries.count == 1 && owners[0].promise.isPending)
    let second = ask()
    second.cancel()
    #expect(owners[0].promise.isPending, "the first still waits, though nobody sees it")
  }

  @Test("A cancel of the work itself cancels the results of all clients, and the next call starts a new flight")
  func workCancelled() {
    let results = [ask(), ask()]
    world.runUntilIdle()
    owners[0].promise.cancel(reason: TestError(4))
    #expect(results.allSatisfy { $0.isCancelled && $0.errorNumber == 4 })
    let next = ask()
    world.runUntilIdle()
    owners[1].fulfill(1)
    #expect(next.values == 1)
  }

  @Test(
    "A client that cancels its root or gives up its result affects no other client of the flight", .rule("4.10"),
    arguments: [false, true])
  func apart(_ givesUp: Bool) {
    let results = [ask(), ask()]
    world.runUntilIdle()
    let label = results[0].map(on: world.main) { $0 }
    #expect(label.root === results[0] && results[0].parent == nil)
    if givesUp { label.cancel(upstream: true) } else { label.root.cancel() }
    #expect(results[0].isCancelled && results[1].isPending && owners[0].promise.isPending)
    results[1].cancel(upstream: true)
    #expect(owners[0].promise.isCancelled)
  }
}
