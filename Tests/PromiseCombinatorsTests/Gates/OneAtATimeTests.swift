import PromiseCombinators
import TestSupport
import Testing

@Suite("Gates that admit one guest at a time", .leavingNothing)
struct OneAtATimeTests {
  let world = TestWorld()

  /// Queues guests at a gate. Their contexts are of different kinds.
  func line(_ door: Door, _ count: Int) -> (guests: Guests, results: [Promise<Int>]) {
    world.run {
      let guests = Guests(count)
      let run = door.make()
      let contexts: [any ExecutionContext] = [world.pool, world.serial("s"), world.concurrent("c")]
      return (guests, (0..<count).map { run(contexts[$0 % 3], guests.body($0)) })
    }
  }

  @Test(
    "Guests enter in the order of the queue, whatever their contexts, and not inside the call", .rule("2.1"),
    arguments: Door.single)
  func order(_ door: Door) {
    let (guests, results) = line(door, 6)
    #expect(guests.entered.entries.isEmpty)
    for number in 0..<6 {
      world.runUntilIdle()
      #expect(guests.entered.entries == Array(0...number))
      guests.owners[number].fulfill(number * 10)
      #expect(results[number].values == number * 10 && guests.entered.entries.count == number + 1)
    }
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test("The next guest enters, however the guest before it ends", arguments: Door.single)
  func failures(_ door: Door) {
    let entered = Log<Int>()
    let results = world.run {
      let run = door.make()
      return [
        run(world.main) { throw TestError(0) }, run(world.main) { .rejected(TestError(1)) },
        run(world.main) { throw CancellationError() }, run(world.main) { Promise { _ in } },
        run(world.main) { entered.append(4, returning: .fulfilled(4)) },
      ]
    }
    world.runUntilIdle()
    #expect(results[0].errorNumber == 0 && results[1].errorNumber == 1 && results[2].isCancelled)
    #expect(results[3].errorCode == .broken)
    #expect(results[4].values == 4 && entered.entries == [4])
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test(
    "The next guest enters if a context drops the closure of the guest before it", .rule("6.2"), arguments: Door.single)
  func dropped(_ door: Door) {
    let census = Tracked.Census()
    let context = ManualContext()
    let (first, second) = world.run {
      let run = door.make()
      return (
        run(context) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { .fulfilled(0) } },
        run(world.main) { .fulfilled(1) }
      )
    }
    world.runUntilIdle()
    context.dropAll()
    #expect(census.living == 0)
    #expect(first.errorCode == .contextDropped)
    world.runUntilIdle()
    #expect(second.values == 1)
  }

  @Test("A gate admits its waiting guests even if no client holds the gate or the results", arguments: Door.all)
  func forgotten(_ door: Door) throws {
    let census = Tracked.Census()
    let log = Log<Int>()
    try TestWorld.run { world in
      let run = door.make()
      for number in 0..<3 {
        _ = run(world.main) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { log.append(number) }
          return Promise.after(.seconds(1), fulfill: number)
        }
      }
      world.advance(by: .seconds(3))
    }
    #expect(log.entries == [0, 1, 2] && census.living == 0)
  }

  @Test(
    "An unhandled error is reported once, and the error of a cancelled guest is never reported", .rule("7.1"),
    arguments: Door.all)
  func unhandled(_ door: Door) {
    let reports = reported {
      let context = ManualContext()
      let run = door.make()
      _ = run(context) { throw TestError(1) }
      _ = run(context) { .rejected(TestError(2)) }
      run(context) { .rejected(TestError(3)) }.cancel()
      _ = run(context) { .rejected(TestError(4)) }.recover(on: context) { _ in 0 }
      context.runUntilIdle()
    }
    #expect(reports.sorted() == [1, 2])
  }

  @Test("A closure that waits for a guest behind it hangs until it is cancelled", arguments: Door.single)
  func nested(_ door: Door) {
    let (outer, other) = world.run {
      let run = door.make()
      return (
        run(world.main) { [world] in run(world.main) { .fulfilled(1) } }, run(world.main) { .fulfilled(2) }
      )
    }
    world.runUntilIdle()
    #expect(outer.isPending && other.isPending)
    outer.cancel()
    world.runUntilIdle()
    #expect(outer.isCancelled && other.values == 2)
  }

  @Test("The progress of a result is the progress of the closure's promise", .rule("5.4"), arguments: Door.all)
  func progress(_ door: Door) {
    let (guests, results) = line(door, 1)
    #expect(results[0].progress == 0)
    world.runUntilIdle()
    #expect(results[0].progress == 0)
    guests.owners[0].report(progress: 0.5)
    #expect(results[0].progress == 0.5)
    guests.owners[0].fulfill(1)
    #expect(results[0].progress == 1)
  }

  @Test(
    "Long queues are served, cancelled and dropped in a loop", .rule("6.4"), .slow,
    arguments: [Door.single[0], .wide[1], .wide[2]], 0..<4)
  func long(_ door: Door, _ ending: Int) {
    let census = Tracked.Census()
    let count = Locked(0)
    do {
      let context = ManualContext()
      let gate = Deferred<Int>()
      let results = world.run {
        let run = door.make()
        let first = run(context) { gate.promise }
        return [first]
          + (1..<5_000).map { number in
            run(context) { [tracked = Tracked(census)] in
              withExtendedLifetime(tracked) { count.withLock { $0 += 1 } }
              return .fulfilled(number)
            }
          }
      }
      switch ending {
      case 0:
        context.runUntilIdle()
        gate.fulfill(0)
        context.runUntilIdle()
        #expect(results.last?.values == 4_999 && count.withLock { $0 } == 4_999)
      case 1:
        for result in results.dropFirst() { result.cancel() }
        gate.fulfill(0)
        context.runUntilIdle()
        #expect(results.dropFirst().allSatisfy { $0.isCancelled } && count.withLock { $0 } == 0)
      case 2:
        for result in results.dropFirst().reversed() { result.cancel() }
        #expect(census.living == 0)
        context.runUntilIdle()
        gate.fulfill(0)
        #expect(results[0].values == 0 && count.withLock { $0 } == 0)
      default:
        // Whenever the context drops a guest, the gate admits the next guest.
        while context.count > 0 { context.dropAll() }
        #expect(results.allSatisfy { !$0.isPending } && count.withLock { $0 } == 0)
      }
    }
    #expect(census.living == 0)
  }

  @Test(
    "In any order, a gate admits one guest at a time, and serves every guest that has not given up",
    arguments: Door.single)
  func everyOrder(_ door: Door) throws {
    _ = try TestWorld.explore(schedules: 100, seed: 7) { world in
      let census = Tracked.Census()
      do {
        let guests = Guests(4)
        let run = door.make()
        let contexts: [any ExecutionContext] = [world.main, world.serial("s"), world.pool, world.concurrent("c")]
        let results = (0..<4).map { number in
          let body = guests.body(number)
          return run(contexts[number]) { [tracked = Tracked(census)] in
            try tracked.carrying(body())
          }
        }
        for number in 0..<4 { world.sometime("done \(number)") { guests.owners[number].fulfill(number) } }
        world.sometime("0 gives up") { results[0].cancel() }
        world.sometime("2 gives up") { results[2].cancel(upstream: true) }
        world.runUntilIdle()
        world.expect(!guests.entered.entries.contains(-1), "two at a time: \(guests.entered.entries)")
        world.expect(guests.entered.entries == guests.entered.entries.sorted(), "nobody overtakes")
        world.expect(results.allSatisfy { !$0.isPending })
        world.expect(results[1].values == 1 && results[3].values == 3)
        world.expect(census.living == 0)
      }
    }
  }
}
