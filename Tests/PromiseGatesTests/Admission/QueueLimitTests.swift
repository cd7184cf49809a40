import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("The limit of the queue of a gate", .leavingNothing) struct QueueLimitTests {
  let world = TestWorld()

  /// The gates that admit one guest at a time or in a time, with a limit of the queue.
  private static func kinds(_ queueLimit: Int) -> [GateKind] {
    [
      GateKind("serial", SerialGate(queueLimit: queueLimit)) { $0.run(on: $1, $2) },
      GateKind("limit", ConcurrencyLimit(1, queueLimit: queueLimit)) { $0.run(on: $1, $2) },
      GateKind("writers", ReadersWriterGate(queueLimit: queueLimit)) { $0.write(on: $1, $2) },
      GateKind("rate", RateLimit(1, per: .seconds(60), queueLimit: queueLimit)) { $0.run(on: $1, $2) },
      GateKind("async", ConcurrencyLimit(1, queueLimit: queueLimit)) { gate, _, body in
        gate.asyncRun { try await body().value(cancelsSource: true) }
      },
    ]
  }

  @Test("An operation that comes when the queue is full is rejected before run returns", arguments: kinds(2))
  func full(_ kind: GateKind) {
    let guests = Guests(6)
    let run = world.run { kind.make() }
    let results = world.run { (0..<4).map { run(world.main, guests.body($0)) } }
    #expect(results[3].failure?.code == .queueFull)
    #expect(results[..<3].allSatisfy { $0.isPending })
    results[1].cancel()
    let late = world.run { (4..<6).map { run(world.main, guests.body($0)) } }
    #expect(late[0].isPending)
    #expect(late[1].failure?.code == .queueFull)
    for owner in guests.owners { owner.fulfill(7) }
    for _ in 0..<3 { world.advance(by: .seconds(60)) }
    #expect(guests.entered.entries == [0, 2, 4])
    #expect(late[0].state.value == 7)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test("An operation for which there is no room is refused by its own call, also while another call admits others")
  func refusedByItsCall() {
    let gate = SerialGate(queueLimit: 0)
    let first = Deferred<Int>()
    let inside = gate.run(on: .atOnce) { first.promise }
    gate.isPaused = true
    let codes = Log<PromiseError.Code?>()
    gate.whenEmpty().onFulfilled(on: .atOnce) {
      codes.append(gate.run(on: .atOnce) { .fulfilled(1) }.failure?.code)
    }
    first.fulfill(1)
    #expect(inside.isFulfilled)
    #expect(codes.entries == [.queueFull])
  }

  @Test("With a limit of zero or less, an operation needs a free place", arguments: kinds(0) + kinds(.min))
  func zero(_ kind: GateKind) {
    let guests = Guests(3)
    let run = world.run { kind.make() }
    let results = world.run { (0..<2).map { run(world.main, guests.body($0)) } }
    #expect(results[0].isPending)
    #expect(results[1].failure?.code == .queueFull)
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    world.advance(by: .seconds(60))
    let later = world.start { run(world.main, guests.body(2)) }
    #expect(guests.entered.entries == [0, 2])
    guests.owners[2].fulfill(2)
    world.runUntilIdle()
    #expect(later.state.value == 2)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test("Operations for which there are places do not count, even if the pool admits them later")
  func manyPlaces() {
    let guests = Guests(100)
    let limit = ConcurrencyLimit(100, queueLimit: 0)
    let results = world.start { (0..<100).map { limit.run(on: world.main, guests.body($0)) } }
    #expect(results.allSatisfy { $0.isPending })
    #expect(limit.runningCount == 100)
    let shelf = ReadersWriterGate(queueLimit: 1)
    let shelved = world.run {
      (0..<2).map { _ in shelf.read(on: world.main) { Promise.fulfilled(0).delay(.seconds(1)) } }
        + [shelf.write(on: world.main) { .fulfilled(0) }, shelf.read(on: world.main) { .fulfilled(0) }]
    }
    #expect(shelved.map { $0.failure?.code } == [nil, nil, nil, .queueFull])
    for owner in guests.owners { owner.fulfill(0) }
    world.advance(by: .seconds(1))
  }

  @Test("A paused gate refuses operations for which its queue has no room, and admits the others when it is resumed")
  func paused() {
    let guests = Guests(3)
    let limit = ConcurrencyLimit(4, queueLimit: 2)
    limit.isPaused = true
    let results = world.run { (0..<3).map { limit.run(on: world.main, guests.body($0)) } }
    #expect(results[2].failure?.code == .queueFull)
    #expect(limit.waitingCount == 2)
    limit.isPaused = false
    world.runUntilIdle()
    #expect(guests.entered.entries.count == 2)
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
  }

  @Test("The operation that came last is refused, whatever its priority is, and its timer is cancelled", .rule("4.9"))
  func priority() {
    let guests = Guests(4)
    let limit = world.run { ConcurrencyLimit(1, waitingAtMost: .seconds(9), queueLimit: 2) }
    let results = world.run {
      (0..<4).map { limit.run(on: world.main, queuePriority: QueuePriority($0), guests.body($0)) }
    }
    #expect(results[3].failure?.code == .queueFull)
    #expect(results[2].isPending)
    #expect(world.armed == 2)
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(guests.entered.entries == [0, 2, 1])
  }

  @Test("If the pool still admits others, an operation is refused when it is certain that there is no place for it")
  func burst() {
    let guests = Guests(111)
    let limit = ConcurrencyLimit(1, queueLimit: 50)
    let late = world.run {
      for number in 0..<51 { _ = limit.run(on: world.main, guests.body(number)) }
      limit.placeCount = 50
      #expect(limit.waitingCount == 18)
      return (0..<60).map { number in
        limit.run(on: world.main, queuePriority: number < 43 ? nil : 1, guests.body(51 + number))
      }
    }
    #expect(late.allSatisfy { $0.isPending })
    world.runUntilIdle()
    #expect(limit.runningCount == 50)
    #expect(limit.waitingCount == 50)
    #expect(late.indices.filter { late[$0].failure?.code == .queueFull } == Array(32..<43))
    for owner in guests.owners { owner.fulfill(0) }
    world.runUntilIdle()
    #expect(limit.runningCount == 0)
  }

  @Test("The error names the call that was refused")
  func site() throws {
    let limit = ConcurrencyLimit(1, queueLimit: 0)
    let first = limit.run(on: world.main) { Promise.fulfilled(1) }
    let second = limit.run(on: world.main, fileID: "M/Shop", line: 7) { Promise.fulfilled(2) }
    let error = try #require(second.error as? PromiseError)
    #expect(error.description == "the queue of the gate was full when the operation at M/Shop:7 arrived")
    world.runUntilIdle()
    #expect(first.state.value == 1)
  }

  @Test("Threads that come at the same time are not refused while there are places for all of them")
  func threads() async {
    for _ in 0..<100 {
      let guests = Guests(4)
      let limit = ConcurrencyLimit(4, queueLimit: 0)
      let results = await withTaskGroup(of: Promise<Int>.self) { group in
        for number in 0..<4 { group.addTask { limit.run { guests.owners[number].promise } } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.allSatisfy { $0.isPending })
      for owner in guests.owners { owner.fulfill(0) }
      for result in results { _ = try? await result.value }
    }
  }
}
