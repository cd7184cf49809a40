import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Places in gates that are taken without waiting", .leavingNothing) struct TryEnterTests {
  let world = TestWorld()
  let guests = Guests(3)

  /// A kind of gate, as functions for one that admits one guest at a time.
  struct Gate: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tryEnter: @Sendable () -> GatePlace?
    let run: @Sendable (any ExecutionContext, @escaping @Sendable () throws -> Promise<Int>) -> Promise<Int>
    let pause: @Sendable (Bool) -> Void
  }

  enum Kind: CaseIterable, Sendable {
    case serial, limit, writer

    var gate: Gate {
      switch self {
      case .serial:
        let gate = SerialGate()
        return Gate(
          testDescription: "serial", tryEnter: { gate.tryEnter() }, run: { gate.run(on: $0, $1) },
          pause: { gate.isPaused = $0 })
      case .limit:
        let gate = ConcurrencyLimit(1)
        return Gate(
          testDescription: "limit", tryEnter: { gate.tryEnter() }, run: { gate.run(on: $0, $1) },
          pause: { gate.isPaused = $0 })
      case .writer:
        let gate = ReadersWriterGate()
        return Gate(
          testDescription: "writer", tryEnter: { gate.tryWrite() }, run: { gate.write(on: $0, $1) },
          pause: { gate.isPaused = $0 })
      }
    }
  }

  @Test("A place is given only where an operation would not wait", .rule("4.6"), arguments: Kind.allCases)
  func free(_ kind: Kind) throws {
    let gate = kind.gate
    gate.pause(true)
    #expect(gate.tryEnter() == nil)
    gate.pause(false)
    let place = try #require(gate.tryEnter())
    #expect(gate.tryEnter() == nil)
    let result = gate.run(world.main, guests.body(0))
    world.runUntilIdle()
    #expect(guests.entered.entries == [])
    place.leave()
    place.leave()
    // The operation that waits has its turn, and is inside before its closure runs.
    #expect(gate.tryEnter() == nil)
    world.runUntilIdle()
    #expect(guests.entered.entries == [0])
    guests.owners[0].fulfill(0)
    world.runUntilIdle()
    #expect(result.isFulfilled)
    #expect(gate.tryEnter() != nil)
  }

  @Test("A place that its client has released is free", .rule("4.6"), arguments: Kind.allCases)
  func released(_ kind: Kind) {
    let gate = kind.gate
    var place = gate.tryEnter()
    #expect(place != nil)
    #expect(gate.tryEnter() == nil)
    place = nil
    #expect(gate.tryEnter() != nil)
  }

  @Test(
    "A place is free when the promise of its work has finished, or is settled", .rule("4.6", "2.11"),
    arguments: [WorkEnd.finished, .settled])
  func leavesAfter(_ end: WorkEnd) throws {
    let gate = SerialGate(until: end)
    let cleanup = Deferred<Void>()
    let work = Deferred<Int>()
    work.onCancelThen { _ in cleanup.promise }
    try #require(gate.tryEnter()).leave(after: work.promise)
    world.runUntilIdle()
    #expect(gate.runningCount == 1)
    work.promise.cancel()
    #expect(gate.runningCount == (end == .finished ? 1 : 0))
    cleanup.fulfill()
    #expect(gate.runningCount == 0)
    try #require(gate.tryEnter()).leave(after: Promise.fulfilled(1))
    #expect(gate.runningCount == 0)
  }

  @Test("leave(after:) does not make the gate a consumer", .rule("4.0"))
  func noConsumer() throws {
    let gate = SerialGate()
    let work = Deferred<Int>()
    try #require(gate.tryEnter()).leave(after: work.promise)
    let client = work.promise.map(on: world.main) { $0 }
    client.cancel(upstream: true)
    #expect(work.promise.isCancelled)
    #expect(gate.runningCount == 0)
  }

  @Test("leave(after:) does not make the gate a client", .rule("4.6"))
  func noClient() throws {
    let gate = SerialGate()
    let work = Deferred<Int>(cancelsWithoutClients: true)
    try #require(gate.tryEnter()).leave(after: work.promise)
    #expect(work.promise.isCancelled)
    #expect(gate.runningCount == 0)
  }

  @Test("Readers enter beside each other, and no reader passes a writer that waits", .rule("4.6"))
  func readers() throws {
    let gate = ReadersWriterGate()
    let first = try #require(gate.tryRead())
    let second = try #require(gate.tryRead())
    #expect(gate.tryWrite() == nil)
    first.leave()
    let written = gate.write(on: world.main, guests.body(0))
    #expect(gate.tryRead() == nil)
    second.leave()
    #expect(gate.tryRead() == nil)
    guests.owners[0].fulfill(0)
    world.runUntilIdle()
    #expect(written.isFulfilled)
    #expect(gate.tryRead() != nil)
  }

  @Test("A limit gives as many places as it has, and none above a number that was lowered")
  func limit() throws {
    let limit = ConcurrencyLimit(2)
    let places = try (0..<2).map { _ in try #require(limit.tryEnter()) }
    #expect(limit.tryEnter() == nil)
    #expect(limit.runningCount == 2)
    limit.placeCount = 1
    places[0].leave()
    #expect(limit.tryEnter() == nil)
    places[1].leave()
    #expect(limit.tryEnter() != nil)
    #expect(limit.whenIdle().isFulfilled)
  }

  @Test("In any order, a place and an operation of a gate are never inside at the same time", .rule("4.6"))
  func exclusive() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 3) { world in
      let gate = SerialGate()
      let inside = Count()
      let work = (0..<3).map { number in
        Promise.run(on: world.pool) {
          guard let place = gate.tryEnter() else { return }
          inside.enter()
          place.leave(after: Promise.run(on: world.pool) { inside.leave() })
        }
        .then(on: world.pool) {
          gate.run(on: world.pool) {
            inside.enter()
            return Promise.run(on: world.pool) { inside.leave() }
          }
        }
      }
      world.runUntilIdle()
      for promise in work { #expect(promise.isFulfilled) }
      #expect(inside.most == 1)
    }
  }

  private final class Count: Sendable {
    private let state = Locked((current: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() {
      state.withLock {
        $0.current += 1
        $0.most = max($0.most, $0.current)
      }
    }

    func leave() { state.withLock { $0.current -= 1 } }
  }
}
