import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("The limit of the time that an operation waits at a gate", .leavingNothing) struct WaitingLimitTests {
  let world = TestWorld()

  /// The gates that admit one guest at a time or in a time, with a limit of two seconds.
  private static let kinds = [
    GateKind("serial", SerialGate(waitingAtMost: .seconds(2))) { $0.run(on: $1, $2) },
    GateKind("limit", ConcurrencyLimit(1, waitingAtMost: .seconds(2))) { $0.run(on: $1, $2) },
    GateKind("writers", ReadersWriterGate(waitingAtMost: .seconds(2))) { $0.write(on: $1, $2) },
    GateKind("rate", RateLimit(1, per: .seconds(60), waitingAtMost: .seconds(2))) { $0.run(on: $1, $2) },
    GateKind("async", ConcurrencyLimit(1, waitingAtMost: .seconds(2))) { gate, _, body in
      gate.asyncRun { try await body().value(cancelsSource: true) }
    },
  ]

  @Test("An operation that waits for too long is rejected, and one that is inside is not", arguments: kinds)
  func expired(_ kind: GateKind) {
    let guests = Guests(3)
    let (run, results) = world.run {
      let run = kind.make()
      return (run, (0..<2).map { run(world.main, guests.body($0)) })
    }
    world.advance(by: .seconds(1))
    #expect(guests.entered.entries == [0])
    #expect(results.allSatisfy { $0.isPending })
    let last = world.run { run(world.main, guests.body(2)) }
    world.advance(by: .seconds(1))
    #expect(results[0].isPending && results[1].failure?.code == .timedOut && last.isPending)
    guests.owners[0].fulfill(7)
    world.advance(by: .milliseconds(500))
    #expect(results[0].state.value == 7)
    guests.owners[2].fulfill(8)
    world.advance(by: .seconds(60))
    #expect(guests.entered.entries == (last.failure?.code == .timedOut ? [0] : [0, 2]))
    #expect(last.state.value == (kind.testDescription == "rate" ? nil : 8))
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test(
    "The timer is cancelled when the operation is admitted or cancelled, in either way", .rule("4.9"),
    arguments: kinds, [nil, false, true])
  func timers(_ kind: GateKind, _ givesUp: Bool?) {
    let guests = Guests(2)
    let results = world.start {
      let run = kind.make()
      return (0..<2).map { run(world.main, guests.body($0)) }
    }
    let isRate = kind.testDescription == "rate"
    #expect(world.armed == (isRate ? 2 : 1))
    if let givesUp {
      results[1].cancel(upstream: givesUp)
      #expect(world.armed == 0)
    } else if !isRate {
      world.runUntilIdle(after: guests.owners[0].fulfill(0))
      #expect(world.armed == 0)
      #expect(guests.entered.entries == [0, 1])
    }
    for owner in guests.owners { owner.fulfill(1) }
    world.advance(by: .seconds(60))
    #expect(results.allSatisfy { !$0.isPending })
  }

  @Test(
    "The waiting time is that of the gate's world, and with a limit of zero an operation needs a free place",
    arguments: [Duration.zero, .seconds(2)])
  func worldTime(_ time: Duration) {
    let guests = Guests(2)
    let limit = world.run { ConcurrencyLimit(1, waitingAtMost: time) }
    let results = (0..<2).map { limit.run(on: world.main, guests.body($0)) }
    #expect(time == .zero || world.armed == 1)
    world.advance(by: time)
    #expect(results[0].isPending && results[1].failure?.code == .timedOut)
    world.runUntilIdle(after: guests.owners[0].fulfill(0))
    #expect(results[0].state.value == 0)
    #expect(guests.entered.entries == [0])
  }

  @Test("In any order, each operation is either served or rejected, and the gate serves later ones")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 5) { world in
      let inside = Locked(0)
      let limit = ConcurrencyLimit(1, waitingAtMost: .seconds(1))
      let results = (0..<4).map { number in
        limit.run(on: world.pool) { () -> Promise<Int> in
          world.expect(inside.increment() == 1)
          return Promise.after(.seconds(number == 0 ? 1 : 2), fulfill: number).always(on: world.pool) { _ in
            inside.withLock { $0 -= 1 }
          }
        }
      }
      world.advance(by: .seconds(20))
      world.expect(results[0].state.value == 0 && results.allSatisfy { $0.result != nil })
      let later = limit.run(on: world.pool) { .fulfilled(9) }
      world.advance(by: .seconds(1))
      world.expect(later.state.value == 9)
    }
  }
}
