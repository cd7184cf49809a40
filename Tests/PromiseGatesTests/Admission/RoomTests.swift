import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Room in the queue of a gate", .leavingNothing) struct RoomTests {
  let world = TestWorld()
  let guests = Guests(6)

  private func enter(_ limit: ConcurrencyLimit, _ numbers: Range<Int>) -> [Promise<Int>] {
    world.run { numbers.map { limit.run(on: world.main, guests.body($0)) } }
  }

  @Test("A gate of any kind without a limit of its queue always has room")
  func unlimited() {
    let limit = ConcurrencyLimit(1)
    limit.isPaused = true
    let results = enter(limit, 0..<3)
    #expect(limit.whenRoom().isFulfilled)
    #expect(SerialGate().whenRoom().isFulfilled)
    #expect(ReadersWriterGate().whenRoom().isFulfilled)
    #expect(RateLimit(1, per: .seconds(1)).whenRoom().isFulfilled)
    for result in results { result.cancel() }
  }

  @Test("whenRoom is fulfilled when an operation leaves the queue", arguments: ["admitted", "cancelled", "late"])
  func room(_ ending: String) {
    let limit = world.run { ConcurrencyLimit(1, waitingAtMost: .seconds(5), queueLimit: 2) }
    #expect(limit.whenRoom().isFulfilled)
    let results = enter(limit, 0..<2)
    #expect(limit.whenRoom().isFulfilled)
    let last = enter(limit, 2..<3)
    let room = world.run { [limit.whenRoom(), limit.whenRoom()] }
    world.runUntilIdle()
    #expect(room.allSatisfy { $0.isPending })
    switch ending {
    case "admitted": guests.owners[0].fulfill(0)
    case "cancelled": results[1].cancel()
    default: world.advance(by: .seconds(5))
    }
    #expect(room.allSatisfy { $0.isFulfilled })
    #expect(limit.waitingCount == (ending == "late" ? 0 : 1))
    for result in results + last { result.cancel() }
    for result in results + last { _ = result.error }
    world.runUntilIdle()
  }

  @Test("A client that cancels whenRoom affects neither the gate nor other clients", arguments: [false, true])
  func cancelled(_ givesUp: Bool) {
    let limit = ConcurrencyLimit(1, queueLimit: 1)
    let results = enter(limit, 0..<2)
    let room = world.run { [limit.whenRoom(), limit.whenRoom()] }
    room[0].cancel(upstream: givesUp)
    #expect(room[1].isPending)
    #expect(results.allSatisfy { $0.isPending })
    results[1].cancel()
    #expect(room[1].isFulfilled)
    results[0].cancel()
  }

  @Test("With a limit of zero, there is room while an operation would be admitted at once")
  func zero() {
    let limit = ConcurrencyLimit(1, queueLimit: 0)
    #expect(limit.whenRoom().isFulfilled)
    limit.isPaused = true
    let resumed = world.run { limit.whenRoom() }
    #expect(resumed.isPending)
    limit.isPaused = false
    #expect(resumed.isFulfilled)
    let results = enter(limit, 0..<1)
    let room = world.run { limit.whenRoom() }
    world.runUntilIdle()
    #expect(room.isPending)
    guests.owners[0].fulfill(0)
    #expect(room.isFulfilled)
    #expect(results[0].isFulfilled)
  }

  @Test("A rate limit with a queue limit of zero has room when the next operation may start", arguments: [false, true])
  func rate(_ pauses: Bool) {
    let rate = world.run { RateLimit(1, per: .seconds(10), queueLimit: 0) }
    let result = world.start { rate.run(on: world.main) { .fulfilled(1) } }
    #expect(result.isFulfilled)
    let room = world.run { rate.whenRoom() }
    #expect(world.armed == 1)
    if pauses {
      rate.isPaused = true
      #expect(world.armed == 0)
      world.advance(by: .seconds(20))
      #expect(room.isPending)
      rate.isPaused = false
    } else {
      world.advance(by: .seconds(9))
      #expect(room.isPending)
      world.advance(by: .seconds(1))
    }
    #expect(room.isFulfilled)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test(
    "A rate limit keeps its timer for room until the last client gives up, and is released then", .rule("4.9"),
    arguments: [false, true])
  func cancelledRate(_ givesUp: Bool) {
    weak var released: ManualTimers?
    do {
      let timers = ManualTimers()
      released = timers
      let rate = RateLimit(1, per: .seconds(3_600), queueLimit: 0, timers: timers)
      let context = ManualContext()
      _ = rate.run(on: context) { .fulfilled(1) }
      context.runUntilIdle()
      let room = (0..<2).map { _ in rate.whenRoom() }
      room[0].cancel(upstream: givesUp)
      #expect(timers.armed.count == 1)
      #expect(room[1].isPending)
      room[1].cancel(upstream: givesUp)
      #expect(timers.armed.isEmpty)
      // A later client waits anew.
      let last = rate.whenRoom()
      #expect(last.isPending)
      #expect(timers.armed.count == 1)
      last.cancel(upstream: givesUp)
    }
    #expect(released == nil)
  }

  @Test("A client that waits for room while the last other client gives up waits anew", .rule("4.9"))
  func lastOther() {
    let timers = ManualTimers()
    let rate = RateLimit(1, per: .seconds(10), queueLimit: 0, timers: timers)
    let context = ManualContext()
    let result = rate.run(on: context) { .fulfilled(1) }
    context.runUntilIdle()
    let other = rate.whenRoom()
    // Between finding that other clients wait, and waiting with them.
    timers.interruptReading(after: 1) { other.cancel() }
    let room = rate.whenRoom()
    #expect(other.isCancelled)
    #expect(room.isPending)
    timers.advance(by: .seconds(10))
    for timer in timers.armed { timer.run() }
    #expect(room.isFulfilled)
    #expect(result.isFulfilled)
    #expect(timers.armed.isEmpty)
  }

  @Test(
    "A client that waits for operations after all other clients have given up waits anew", arguments: [false, true])
  func waitsAnew(_ givesUp: Bool) {
    let gate = SerialGate()
    let work = Deferred<Int>()
    let result = gate.run(on: .atOnce) { work.promise }
    let waits = [gate.whenIdle(), gate.whenEmpty()]
    for wait in waits { wait.cancel(upstream: givesUp) }
    #expect(waits.allSatisfy { $0.isCancelled })
    let later = [gate.whenIdle(), gate.whenEmpty()]
    #expect(later.allSatisfy { $0.isPending })
    work.fulfill(1)
    #expect(result.isFulfilled)
    #expect(later.allSatisfy { $0.isFulfilled })
  }

  @Test("A producer that waits for room is never refused, in any order of steps, and never has more than its limit")
  func producer() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 7) { world in
      let limit = ConcurrencyLimit(2, queueLimit: 3)
      let done = Locked(0)
      let most = Locked(0)
      @Sendable func produce(_ number: Int) -> Promise<Void> {
        guard number < 12 else { return .fulfilled(()) }
        return limit.whenRoom().then(on: world.pool) {
          limit.run(on: world.pool) { Promise.after(.seconds(1), fulfill: number) }
            .onFulfilled(on: world.pool) { _ in done.withLock { $0 += 1 } }
          most.withLock { $0 = max($0, limit.waitingCount) }
          return produce(number + 1)
        }
      }
      let produced = produce(0)
      world.advance(by: .seconds(20))
      world.expect(produced.isFulfilled)
      world.expect(done.withLock { $0 } == 12)
      world.expect(most.withLock { $0 } <= 3)
    }
  }

  @Test("A promise that waits for room names the queue and what is inside")
  func description() {
    let limit = ConcurrencyLimit(1, queueLimit: 1, label: "disk", fileID: "M/Gate", line: 9)
    let results = enter(limit, 0..<2)
    let text = world.run { limit.whenRoom() }.debugDescription
    #expect(
      text.contains(
        "room in the queue of the ConcurrencyLimit \"disk\" made at M/Gate:9, 1 waiting, with 1 operation inside"),
      "\(text)")
    for result in results { result.cancel() }
    world.runUntilIdle()
  }

  @Test("The example of whenRoom appends each event")
  func example() async throws {
    let store = Log<Int>()
    let log = ConcurrencyLimit(1, queueLimit: 2)
    let events = AsyncStream<Int> { stream in
      for number in 0..<20 { stream.yield(number) }
      stream.finish()
    }
    @Sendable func report(_ error: any Error) { Issue.record("\(error)") }
    for await event in events {
      try await log.whenRoom().value
      log.run { store.append(event) }.onFailed { error in report(error) }
    }
    try await log.whenIdle().value
    #expect(store.entries == Array(0..<20))
  }
}

extension Log<Int> {
  fileprivate func append(_ event: Int) -> Promise<Void> {
    append(event, returning: .fulfilled(()))
  }
}
