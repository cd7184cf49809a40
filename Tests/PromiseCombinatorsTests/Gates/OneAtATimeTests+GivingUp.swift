import PromiseCombinators
import TestSupport
import Testing

extension OneAtATimeTests {
  @Test("A guest that is cancelled in the queue is never called and releases its captures", arguments: Door.single)
  func cancelledWaiting(_ door: Door) {
    let census = Tracked.Census()
    let guests = world.run { Guests(3) }
    let results = world.run {
      let run = door.make()
      return (0..<3).map { number in
        run(world.main) { [tracked = Tracked(census), body = guests.body(number)] in
          try tracked.carrying(body())
        }
      }
    }
    world.runUntilIdle()
    #expect(census.living == 2, "the first was called")
    results[1].cancel(reason: TestError(9))
    #expect(census.living == 1 && results[1].isCancelled && results[1].errorNumber == 9)
    guests.owners[0].fulfill(0)
    world.runUntilIdle()
    #expect(guests.entered.entries == [0, 2] && census.living == 0)
    guests.owners[2].fulfill(2)
    #expect(results[2].values == 2 && guests.owners[1].promise.isPending)
  }

  @Test(
    "A guest that is cancelled between admission and start is never called and makes way at once",
    arguments: Door.single, [false, true])
  func cancelledAdmitted(_ door: Door, _ givesUp: Bool) {
    let context = ManualContext()
    let log = Log<Int>()
    let (first, second) = world.run {
      let run = door.make()
      return (
        run(context) { log.append(0, returning: .fulfilled(0)) },
        run(world.main) { log.append(1, returning: .fulfilled(1)) }
      )
    }
    world.runUntilIdle()
    #expect(log.entries.isEmpty && second.isPending && context.count == 1)
    if givesUp { first.cancel(upstream: true) } else { first.cancel() }
    world.runUntilIdle()
    #expect(log.entries == [1] && first.isCancelled && second.values == 1)
    context.runUntilIdle()
    #expect(log.entries == [1])
  }

  @Test("A cancel of a finished result changes nothing", arguments: Door.single)
  func cancelledAfter(_ door: Door) {
    let (guests, results) = line(door, 2)
    world.runUntilIdle()
    guests.owners[0].fulfill(5)
    results[0].cancel()
    results[0].cancel(upstream: true)
    world.runUntilIdle()
    #expect(results[0].values == 5 && guests.entered.entries == [0, 1] && results[1].isPending)
  }

  @Test(
    "A guest stays in the queue if a link of its result is cancelled, and leaves if a link gives the result up",
    arguments: Door.single)
  func derived(_ door: Door) {
    let (guests, results) = line(door, 2)
    world.run { results[1].map(on: world.main) { $0 } }.cancel()
    #expect(results[1].isPending)
    world.run { results[1].map(on: world.main) { $0 } }.cancel(upstream: true)
    #expect(results[1].isCancelled)
    world.runUntilIdle()
    guests.owners[0].fulfill(0)
    world.runUntilIdle()
    #expect(guests.entered.entries == [0])
  }
}
