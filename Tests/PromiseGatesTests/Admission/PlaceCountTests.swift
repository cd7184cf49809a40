import PromiseGates
import TestSupport
import Testing

@Suite("The number of places of a limit, when it changes", .leavingNothing) struct PlaceCountTests {
  let world = TestWorld()
  let guests = Guests(8)

  private func enter(_ limit: ConcurrencyLimit, _ numbers: Range<Int>) -> [Promise<Int>] {
    world.start { numbers.map { limit.run(on: world.main, guests.body($0)) } }
  }

  @Test("A limit that is lowered keeps those inside, and admits none before fewer are inside than there are places")
  func lowered() {
    let limit = ConcurrencyLimit(3)
    #expect(limit.placeCount == 3)
    let results = enter(limit, 0..<5)
    limit.placeCount = 1
    #expect(limit.placeCount == 1)
    #expect(limit.runningCount == 3)
    for number in 0..<2 {
      world.runUntilIdle(after: guests.owners[number].fulfill(number))
      #expect(limit.waitingCount == 2)
    }
    world.runUntilIdle(after: guests.owners[2].fulfill(2))
    #expect(limit.runningCount == 1)
    #expect(limit.waitingCount == 1)
    for owner in guests.owners { owner.fulfill(9) }
    world.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
    #expect(limit.runningCount == 0)
  }

  @Test("A limit that is raised admits those that wait inside the call, in their order")
  func raised() {
    let limit = ConcurrencyLimit(1)
    let results = enter(limit, 0..<5)
    limit.placeCount = 4
    #expect(limit.runningCount == 4)
    world.runUntilIdle()
    #expect(guests.order.entries == [0, 1, 2, 3])
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(guests.order.entries == [0, 1, 2, 3, 4])
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("Any number of places may be set, and one below 1 counts as 1")
  func extremes() {
    let limit = ConcurrencyLimit(.max)
    let results = enter(limit, 0..<3)
    limit.placeCount = .min
    #expect(limit.placeCount == 1)
    let later = enter(limit, 3..<4)
    #expect(limit.waitingCount == 1)
    limit.placeCount = .max
    #expect(limit.placeCount == .max)
    #expect(limit.waitingCount == 0)
    limit.placeCount = 2
    limit.placeCount = 2
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect((results + later).allSatisfy { $0.isFulfilled })
    let last = enter(limit, 4..<7)
    #expect(last.allSatisfy { $0.isFulfilled })
  }

  @Test("A paused limit that is raised admits none before it is resumed")
  func paused() {
    let limit = ConcurrencyLimit(1)
    limit.isPaused = true
    let results = enter(limit, 0..<2)
    limit.placeCount = 2
    #expect(limit.runningCount == 0)
    limit.isPaused = false
    #expect(limit.runningCount == 2)
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("A limit that is raised has room in its queue")
  func room() {
    let limit = ConcurrencyLimit(1, queueLimit: 1)
    let results = enter(limit, 0..<2)
    let room = world.run { limit.whenRoom() }
    #expect(room.isPending)
    limit.placeCount = 2
    #expect(room.isFulfilled)
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("In any order, no more operations are inside than the greatest number of places, and each of them ends")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 3) { world in
      let inside = Locked(0)
      let limit = ConcurrencyLimit(3)
      let results = (0..<8).map { number in
        limit.run(on: world.pool) { () -> Promise<Int> in
          world.expect(inside.increment() <= 3)
          return Promise.run(on: world.pool) { inside.withLock { $0 -= 1 } }.map(on: world.pool) { _ in number }
        }
      }
      for count in [1, 2, 3] { _ = Promise.run(on: world.pool) { limit.placeCount = count } }
      world.runUntilIdle()
      world.expect(results.allSatisfy { $0.isFulfilled })
      world.expect(limit.runningCount == 0)
    }
  }

  @Test("The example of placeCount lowers the limit while the network is expensive")
  func example() {
    struct Path: Sendable { let isExpensive: Bool }
    struct Network: Sendable {
      func onChange(_ handler: @Sendable (Path) -> Void) { handler(Path(isExpensive: true)) }
    }
    let network = Network()
    let downloads = ConcurrencyLimit(4)
    network.onChange { path in downloads.placeCount = path.isExpensive ? 1 : 4 }
    #expect(downloads.placeCount == 1)
  }
}
