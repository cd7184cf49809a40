import PromiseCombinators
import TestSupport
import Testing

@Suite("Gates that admit one guest at a time", .leavingNothing) struct OneAtATimeTests {
  let world = TestWorld()

  /// Queues guests at a gate. Their contexts are of different kinds.
  func line(_ kind: GateKind, _ count: Int) -> (guests: Guests, results: [Promise<Int>]) {
    world.run {
      let guests = Guests(count)
      let run = kind.make()
      let contexts: [any ExecutionContext] = [world.pool, world.serial("s"), world.concurrent("c")]
      return (guests, (0..<count).map { run(contexts[$0 % 3], guests.body($0)) })
    }
  }

  @Test(
    "Guests enter in the order of the queue, whatever their contexts, and not inside the call", .rule("2.1"),
    arguments: GateKind.single)
  func order(_ kind: GateKind) {
    let (guests, results) = line(kind, 6)
    #expect(guests.entered.entries.isEmpty)
    for number in 0..<6 {
      world.runUntilIdle()
      #expect(guests.entered.entries == Array(0...number))
      guests.owners[number].fulfill(number * 10)
      #expect(results[number].state.value == number * 10)
      #expect(guests.entered.entries.count == number + 1)
    }
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test("A gate admits its waiting guests even if no client holds the gate or the results", arguments: GateKind.all)
  func forgotten(_ kind: GateKind) throws {
    let census = Tracked.Census()
    let log = Log<Int>()
    try TestWorld.run { world in
      let run = kind.make()
      for number in 0..<3 {
        _ = run(world.main) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { log.append(number) }
          return Promise.after(.seconds(1), fulfill: number)
        }
      }
      world.advance(by: .seconds(3))
    }
    #expect(log.entries == [0, 1, 2])
    #expect(census.living == 0)
  }

  @Test(
    "An unhandled error is reported once, and the error of a cancelled guest never", .rule("7.1"),
    arguments: GateKind.all)
  func unhandled(_ kind: GateKind) {
    let reports = reported {
      let context = ManualContext()
      let run = kind.make()
      _ = run(context) { throw TestError(1) }
      _ = run(context) { .rejected(TestError(2)) }
      run(context) { .rejected(TestError(3)) }.cancel()
      _ = run(context) { .rejected(TestError(4)) }.recover(on: context) { _ in 0 }
      context.runUntilIdle()
    }
    #expect(reports.sorted() == [1, 2])
  }

  @Test("A closure that waits for a guest behind it hangs until it is cancelled", arguments: GateKind.single)
  func nested(_ kind: GateKind) {
    let run = world.run { kind.make() }
    let outer = world.run { run(world.main) { [world] in run(world.main) { .fulfilled(1) } } }
    let other = world.start { run(world.main) { .fulfilled(2) } }
    #expect(outer.isPending)
    #expect(other.isPending)
    world.runUntilIdle(after: outer.cancel())
    #expect(outer.isCancelled)
    #expect(other.state.value == 2)
  }

  @Test("The progress of a result is the progress of the closure's promise", .rule("5.4"), arguments: GateKind.all)
  func progress(_ kind: GateKind) {
    let (guests, results) = line(kind, 1)
    #expect(results[0].progress == 0)
    world.runUntilIdle()
    #expect(results[0].progress == 0)
    guests.owners[0].report(progress: 0.5)
    #expect(results[0].progress == 0.5)
    guests.owners[0].fulfill(1)
    #expect(results[0].progress == 1)
  }

  @Test("In any order, a gate admits one guest at a time, and serves each guest that stays", arguments: GateKind.single)
  func everyOrder(_ kind: GateKind) throws {
    _ = try TestWorld.explore(schedules: 100, seed: 7) { world in
      let census = Tracked.Census()
      do {
        let guests = Guests(4)
        let run = kind.make()
        let contexts: [any ExecutionContext] = [world.main, world.serial("s"), world.pool, world.concurrent("c")]
        let results = (0..<4).map { number in
          let body = guests.body(number)
          return run(contexts[number]) { [tracked = Tracked(census)] in try tracked.carrying(body()) }
        }
        for number in 0..<4 { world.sometime("done \(number)") { guests.owners[number].fulfill(number) } }
        world.sometime("0 gives up") { results[0].cancel() }
        world.sometime("2 gives up") { results[2].cancel(upstream: true) }
        world.runUntilIdle()
        world.expect(!guests.entered.entries.contains(-1), "two at a time: \(guests.entered.entries)")
        world.expect(guests.entered.entries == guests.entered.entries.sorted(), "nobody overtakes")
        world.expect(results.allSatisfy { !$0.isPending })
        world.expect(results[1].state.value == 1 && results[3].state.value == 3)
        world.expect(census.living == 0)
      }
    }
  }

  @Test(
    "A guest that is cancelled between admission and start is never called and makes way at once",
    arguments: GateKind.single, [false, true])
  func cancelledAdmitted(_ kind: GateKind, _ givesUp: Bool) {
    let context = ManualContext()
    let log = Log<Int>()
    let run = world.run { kind.make() }
    let first = world.run { run(context) { log.append(0, returning: .fulfilled(0)) } }
    let second = world.start { run(world.main) { log.append(1, returning: .fulfilled(1)) } }
    #expect(log.entries.isEmpty)
    #expect(second.isPending)
    #expect(context.count == 1)
    if givesUp { first.cancel(upstream: true) } else { first.cancel() }
    world.runUntilIdle()
    #expect(log.entries == [1])
    #expect(first.isCancelled)
    #expect(second.state.value == 1)
    context.runUntilIdle()
    #expect(log.entries == [1])
  }
}
