import PromiseCombinators
import TestSupport
import Testing

@Suite("Guests that enter their gate again, and guests as inputs of `all`", .leavingNothing)
struct NestedGuestTests {
  let world = TestWorld()

  /// Runs all ready steps and returns whether the promise is still pending. Then ends the wait by giving the promise
  /// up.
  private func hangs(_ promise: AnyPromise) -> Bool {
    world.runUntilIdle()
    defer {
      promise.cancel(upstream: true)
      world.runUntilIdle()
    }
    return promise.isPending
  }

  @Test("A reader that enters its gate again as a reader hangs if a writer waits", arguments: [false, true])
  func reader(_ hasWriter: Bool) {
    let (result, writer) = world.run {
      let gate = ReadersWriterGate()
      let result = gate.read { gate.read { .fulfilled(1) } }
      return (result, hasWriter ? gate.write { .fulfilled(2) } : .fulfilled(2))
    }
    #expect(hangs(result) == hasWriter)
    #expect(writer.isFulfilled)
  }

  @Test("An async closure that joins its own flight hangs")
  func flight() {
    let result = world.run {
      let flights = SingleFlight<Int, Int>()
      return flights.asyncRun(1) { try await flights.asyncRun(1) { 1 }.value(cancelsSource: true) }
    }
    #expect(hangs(result))
  }

  @Test("A guest that enters its rate limit again is admitted")
  func rate() {
    let result = world.run {
      let gate = RateLimit(2, per: .seconds(1))
      return gate.run { gate.run { .fulfilled(1) } }
    }
    #expect(!hangs(result))
  }

  @Test(
    "A plain cancel leaves the guests behind `all` running, unless a handler has returned the `all`",
    .rule("4.4", "4.8"),
    arguments: [false, true])
  func all(isReturned: Bool) {
    let owners = world.run { (0..<4).map { _ in Deferred<Int>() } }
    let begun = Log<Int>()
    let pages = world.run { () -> Promise<[Int]> in
      let limit = Limit(2)
      @Sendable func all() -> Promise<[Int]> {
        Promise.all(
          owners.indices.map { number in limit.run { begun.append(number, returning: owners[number].promise) } })
      }
      return isReturned ? Promise.fulfilled(()).then { all() } : all()
    }
    world.runUntilIdle()
    #expect(begun.entries.sorted() == [0, 1])
    pages.cancel()
    world.runUntilIdle()
    #expect(owners.map(\.promise.isCancelled) == [isReturned, isReturned, false, false])
    for owner in owners { owner.fulfill(1) }
    world.runUntilIdle()
    #expect(begun.entries.sorted() == (isReturned ? [0, 1] : [0, 1, 2, 3]))
  }
}
