import TestSupport
import Testing

@testable import PromiseGates

@Suite("Priorities of operations that wait at a gate", .leavingNothing) struct QueuePriorityTests {
  let world = TestWorld()

  /// Lets operations with these priorities wait at a gate, and returns the order in which they start.
  ///
  /// - Parameter change: is called while all operations wait.
  private func order(_ priorities: [QueuePriority?], _ change: ([Promise<Int>]) -> Void = { _ in }) -> [Int] {
    let started = Log<Int>()
    let gate = SerialGate()
    gate.isPaused = true
    let results = world.run {
      priorities.enumerated().map { number, priority in
        gate.run(on: world.main, queuePriority: priority) { started.append(number, returning: .fulfilled(number)) }
      }
    }
    change(results)
    gate.isPaused = false
    world.runUntilIdle()
    #expect(results.allSatisfy { !$0.isPending })
    #expect(gate.waitingCount == 0)
    return started.entries
  }

  @Test("Higher levels are admitted first, equal levels in the order of the calls, and no priority counts as level 0")
  func levels() {
    #expect(order([0, 1, 0, 1, -1, 2]) == [5, 1, 3, 0, 2, 4])
    #expect(order([QueuePriority(.min), QueuePriority(.max), 0]) == [1, 2, 0])
    #expect(order([nil, 1, nil, 0, -1, nil, 1]) == [1, 6, 0, 2, 3, 5, 4])
    #expect(order([0, nil, 0, nil]) == [0, 1, 2, 3])
    #expect(order([-1, nil, -1]) == [1, 0, 2])
  }

  @Test("A change of the level moves all operations of the priority, which keep their places among equals")
  func change() {
    let screen = QueuePriority(1)
    let other = QueuePriority(1)
    // The screen scrolls away, and comes back. It has not lost its places.
    #expect(order([screen, other, screen, other]) { _ in screen.level = 0 } == [1, 3, 0, 2])
    screen.level = 1
    let back = order([screen, other, screen, other]) { _ in
      screen.level = 0
      other.level = 5
      screen.level = 1
      other.level = 1
    }
    #expect(back == [0, 1, 2, 3])
    screen.level = 1
    #expect(order([nil, screen, nil, screen, nil]) { _ in screen.level = 0 } == [0, 1, 2, 3, 4])
  }

  @Test("A level that changes between two admissions determines the later one")
  func changeMeanwhile() {
    let screen = QueuePriority(0)
    let limit = ConcurrencyLimit(1)
    let guests = Guests(5)
    let results = world.start {
      (0..<5).map { number in
        limit.run(on: world.main, queuePriority: number == 2 || number == 4 ? screen : nil, guests.body(number))
      }
    }
    screen.level = 1
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    screen.level = -1
    for number in [2, 1, 3, 4] { world.runUntilIdle(after: guests.owners[number].fulfill(number)) }
    #expect(guests.entered.entries == [0, 2, 1, 3, 4])
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("Operations that are cancelled while they wait leave the order of the others as it is")
  func cancelled() {
    let one = QueuePriority(1)
    let two = QueuePriority(2)
    let started = order([one, two, nil, one, two, nil, one]) { results in
      for number in [0, 4, 5] { results[number].cancel(upstream: number == 4) }
    }
    #expect(started == [1, 3, 6, 2])
  }

  /// The reason of a cancellation. The cancelled promise retains the reason, and an entry of the queue that was left
  /// behind would retain the promise. So the number of living reasons is the number of such entries.
  private struct CountedReason: Error { let tracked: Tracked }

  @Test("A queue keeps little of many operations that were cancelled while they waited")
  func manyCancelled() {
    let census = Tracked.Census()
    let priority = QueuePriority(1)
    let gate = SerialGate()
    let guests = Guests(2)
    let results = world.run { (0..<2).map { gate.run(on: world.main, queuePriority: priority, guests.body($0)) } }
    for _ in 0..<1_000 {
      let result = world.run { gate.run(on: world.main, queuePriority: priority) { Promise.fulfilled(1) } }
      result.cancel(reason: CountedReason(tracked: Tracked(census)))
    }
    #expect(census.living < 16)
    #expect(gate.waitingCount == 1)
    world.runUntilIdle()
    for owner in guests.owners { owner.fulfill(1) }
    world.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("A ranking keeps few of the numbers of operations that were cancelled while they waited")
  func ranking() {
    let priorities = [QueuePriority(1), QueuePriority(2)]
    var ranking = Ranking()
    ranking.append(0, with: priorities[0])
    for id in 1...1_000 {
      ranking.append(id, with: priorities[id % 2])
      ranking.didRemoveGuest { $0 == 0 }
      #expect(ranking.levels.count <= 20)
    }
    #expect(ranking.first { $0 == 0 }?.id == 0)
  }

  @Test("Operations keep the level of their priority when those of another priority have left")
  func leftPriorities() {
    let lowest = QueuePriority(0)
    let low = QueuePriority(1)
    let middle = QueuePriority(2)
    let high = QueuePriority(5)
    let gate = SerialGate()
    let guests = Guests(6)
    let enter: (Int, QueuePriority) -> Promise<Int> = { number, priority in
      world.run { gate.run(on: world.main, queuePriority: priority, guests.body(number)) }
    }
    let leave: (Int) -> Void = { number in world.runUntilIdle(after: guests.owners[number].fulfill(number)) }
    var results = [enter(0, high), enter(1, low), enter(2, middle)]
    world.runUntilIdle()
    leave(0)
    // No operation with the high priority waits now.
    results += [enter(3, lowest), enter(4, middle), enter(5, high)]
    for number in [2, 5, 4, 1, 3] { leave(number) }
    #expect(guests.entered.entries == [0, 2, 5, 4, 1, 3])
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("A rate limit starts operations with a higher level first, and async closures have priorities, too")
  func others() {
    let started = Log<String>()
    let rate = world.run { RateLimit(1, per: .seconds(1)) }
    let limit = ConcurrencyLimit(1)
    let results = world.run {
      [0, 0, 1].enumerated().flatMap { number, level in
        [
          rate.run(on: world.main, queuePriority: QueuePriority(level)) {
            started.append("rate \(number)", returning: Promise.fulfilled(0))
          },
          limit.asyncRun(queuePriority: QueuePriority(level)) { started.append("limit \(number)", returning: 0) },
        ]
      }
    }
    world.advance(by: .seconds(10))
    #expect(results.allSatisfy { $0.isFulfilled })
    #expect(started.entries.filter { $0.hasPrefix("rate") } == ["rate 0", "rate 2", "rate 1"])
    #expect(started.entries.filter { $0.hasPrefix("limit") } == ["limit 0", "limit 2", "limit 1"])
  }

  @Test("A description counts the operations that are admitted before a waiting one")
  func description() {
    let limit = ConcurrencyLimit(1, fileID: "M/Gate", line: 9)
    let guests = Guests(4)
    let results = world.run {
      [nil, 0, 5, -1].enumerated().map { number, level in
        limit.run(on: world.main, queuePriority: level.map { QueuePriority($0) }, guests.body(number))
      }
    }
    #expect(results[1].debugDescription.contains("behind 1 other in its queue"))
    #expect(results[2].debugDescription.contains("the next in its queue"))
    #expect(results[3].debugDescription.contains("behind 2 others in its queue"))
    for result in results { result.cancel() }
    world.runUntilIdle()
  }

  @Test("In any order of events, each operation is served once, and none overtakes an equal one")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 7) { world in
      let started = Log<Int>()
      let screen = QueuePriority(1)
      let limit = ConcurrencyLimit(1)
      let results = (0..<6).map { number in
        limit.run(on: world.pool, queuePriority: number < 4 ? screen : nil) { () -> Promise<Int> in
          started.append(number, returning: world.work("done \(number)", endingWith: number))
        }
      }
      world.sometime("the screen scrolls away") { screen.level = -1 }
      world.sometime("it comes back") { screen.level = 1 }
      world.sometime("1 gives up") { results[1].cancel() }
      world.runUntilIdle()
      let onScreen = started.entries.filter { $0 < 4 }
      world.expect(onScreen == onScreen.sorted() && results.allSatisfy { !$0.isPending })
      world.expect(Set(started.entries).count == started.entries.count)
    }
  }
}
