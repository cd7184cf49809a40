import PromiseGates
import TestSupport
import Testing

@Suite("The state of a gate: counts, idle and paused", .leavingNothing) struct GateStateTests {
  let world = TestWorld()
  let guests = Guests(6)

  private func enter(_ limit: ConcurrencyLimit, _ numbers: Range<Int>) -> [Promise<Int>] {
    world.run { numbers.map { limit.run(on: world.main, guests.body($0)) } }
  }

  @Test("A gate of any kind counts the operations that have a place and those that wait")
  func counts() {
    let limit = ConcurrencyLimit(2)
    #expect(limit.runningCount == 0)
    #expect(limit.waitingCount == 0)
    let results = enter(limit, 0..<5)
    #expect(limit.runningCount == 2)
    #expect(limit.waitingCount == 3)
    world.runUntilIdle()
    results[4].cancel()
    #expect(limit.runningCount == 2)
    #expect(limit.waitingCount == 2)
    guests.owners[0].fulfill(0)
    #expect(limit.runningCount == 2)
    #expect(limit.waitingCount == 1)
    world.runUntilIdle()
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(limit.runningCount == 0)
    #expect(limit.waitingCount == 0)
    let serial = SerialGate()
    let shelf = ReadersWriterGate()
    let others = world.run {
      (0..<2).map { serial.run(on: world.main, guests.body($0)) }
        + (0..<2).map { shelf.read(on: world.main, guests.body($0)) } + [shelf.write(on: world.main, guests.body(2))]
    }
    #expect(serial.runningCount == 1)
    #expect(serial.waitingCount == 1)
    #expect(shelf.runningCount == 2)
    #expect(shelf.waitingCount == 1)
    for result in others { result.cancel() }
    world.runUntilIdle()
  }

  @Test("A rate limit counts the operations that have not started")
  func rate() {
    let context = ManualContext()
    let rate = world.run { RateLimit(1, per: .seconds(10)) }
    let results = world.run { (0..<3).map { rate.run(on: context, guests.body($0)) } }
    #expect(rate.waitingCount == 3)
    context.runUntilIdle()
    #expect(rate.waitingCount == 2)
    let idle = world.run { rate.whenIdle() }
    world.advance(by: .seconds(10))
    context.runUntilIdle()
    results[2].cancel()
    #expect(rate.waitingCount == 0)
    #expect(idle.isFulfilled)
    for result in results { result.cancel() }
  }

  @Test("whenIdle is fulfilled at once if the gate is empty, and otherwise when its last operation ends")
  func idle() {
    let limit = ConcurrencyLimit(1)
    #expect(limit.whenIdle().isFulfilled)
    let results = enter(limit, 0..<3)
    let idle = world.start { [limit.whenIdle(), limit.whenIdle()] }
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    results[2].cancel()
    #expect(idle.allSatisfy { $0.isPending })
    let late = enter(limit, 3..<4)
    world.runUntilIdle(after: guests.owners[1].reject(TestError(1)))
    #expect(idle.allSatisfy { $0.isPending })
    guests.owners[3].fulfill(3)
    #expect(idle.allSatisfy(\.isFulfilled) && late[0].isFulfilled && results[1].failure == .test(1))
    let again = enter(limit, 4..<5)
    #expect(limit.whenIdle().isPending, "the gate is busy again")
    again[0].cancel()
  }

  @Test("A client that cancels whenIdle affects neither the gate nor other clients", arguments: [false, true])
  func cancelledIdle(_ givesUp: Bool) {
    let limit = ConcurrencyLimit(1)
    let results = enter(limit, 0..<1)
    let idle = world.run { [limit.whenIdle(), limit.whenIdle()] }
    idle[0].cancel(upstream: givesUp)
    #expect(idle[0].isCancelled && idle[1].isPending && results[0].isPending)
    idle[1].cancel(upstream: givesUp)
    let again = world.run { limit.whenIdle() }
    #expect(again.isPending)
    world.runUntilIdle()
    guests.owners[0].fulfill(0)
    #expect(again.isFulfilled)
  }

  @Test("A paused gate admits no operation, and admits them in order when it is resumed")
  func paused() {
    let limit = ConcurrencyLimit(2)
    let before = enter(limit, 0..<1)
    limit.isPaused = true
    #expect(limit.isPaused)
    let results = enter(limit, 1..<5)
    world.runUntilIdle()
    #expect(guests.entered.entries == [0])
    #expect(limit.waitingCount == 4)
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(before[0].isFulfilled)
    #expect(limit.runningCount == 0)
    results[1].cancel()
    limit.isPaused = false
    world.runUntilIdle()
    #expect(guests.order.entries == [0, 1, 3])
    #expect(limit.waitingCount == 1)
    #expect(!limit.isPaused)
    for owner in guests.owners { owner.fulfill(1) }
    world.runUntilIdle()
    #expect(guests.order.entries == [0, 1, 3, 4])
    #expect([0, 2, 3].allSatisfy { results[$0].isFulfilled } && results[1].isCancelled)
  }

  @Test("A paused rate limit has no timer, and keeps to its rate when it is resumed")
  func pausedRate() {
    let starts = Log<Duration>()
    let rate = world.run { RateLimit(1, per: .seconds(10)) }
    let results = world.start {
      (0..<3).map { number in
        rate.run(on: world.main) { starts.append(world.clock.elapsed, returning: .fulfilled(number)) }
      }
    }
    rate.isPaused = true
    #expect(world.armed == 0)
    world.advance(by: .seconds(15))
    rate.isPaused = false
    world.advance(by: .seconds(20))
    #expect(starts.entries == [.zero, .seconds(15), .seconds(25)])
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("The limit of the waiting time goes on while a gate is paused")
  func pausedLimit() {
    let limit = world.run { ConcurrencyLimit(1, waitingAtMost: .seconds(2)) }
    limit.isPaused = true
    let result = enter(limit, 0..<1)[0]
    world.advance(by: .seconds(2))
    #expect(result.failure?.code == .timedOut)
  }

  @Test("A gate that is released while it is paused admits the operations that wait")
  func released() {
    let result = world.start {
      let limit = ConcurrencyLimit(1)
      limit.isPaused = true
      return limit.run(on: world.main, guests.body(0))
    }
    guests.owners[0].fulfill(4)
    #expect(result.state.value == 4)
  }

  @Test("A gate that is paused, or for whose end clients wait, says so")
  func description() {
    let limit = ConcurrencyLimit(1, label: "disk", fileID: "M/Gate", line: 9)
    let results = enter(limit, 0..<3)
    let idle = world.run { limit.whenIdle() }
    limit.isPaused = true
    #expect(
      limit.debugDescription == "ConcurrencyLimit \"disk\", 1 operation inside, 2 waiting, paused, made at M/Gate:9")
    let waits = results[1].debugDescription
    #expect(waits.contains("made at M/Gate:9, the next in its queue, with 1 operation inside, paused"), "\(waits)")
    let end = idle.debugDescription
    #expect(
      end.contains(
        "the end of all operations of the ConcurrencyLimit \"disk\" made at M/Gate:9, 2 waiting, with 1 operation"),
      "\(end)")
    for result in results { result.cancel() }
    world.runUntilIdle()
  }
}
