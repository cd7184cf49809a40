import PromiseCombinators
import TestSupport
import Testing

@Suite("ReadersWriterGate", .leavingNothing)
struct ReadersWriterGateTests {
  let world = TestWorld()

  /// Queues a writer for each "w" and a reader for each other character. A guest stays inside until the test settles
  /// its owner.
  private func line(_ kinds: [Character]) -> (owners: [Deferred<Int>], entered: Log<Int>, results: [Promise<Int>]) {
    world.run {
      let gate = ReadersWriterGate()
      let owners = kinds.map { _ in Deferred<Int>() }
      let entered = Log<Int>()
      let results = kinds.enumerated().map { number, kind in
        let body: Door.Body = { entered.append(number, returning: owners[number].promise) }
        return kind == "w" ? gate.write(on: world.main, body) : gate.read(on: world.main, body)
      }
      return (owners, entered, results)
    }
  }

  @Test("Readers share the gate and writers are alone, in the order of the queue")
  func order() {
    let (owners, entered, _) = line(Array("rrwrrww"))
    world.runUntilIdle()
    #expect(entered.entries == [0, 1])
    owners[1].fulfill(1)
    world.runUntilIdle()
    #expect(entered.entries == [0, 1], "one still reads")
    owners[0].fulfill(1)
    world.runUntilIdle()
    #expect(entered.entries == [0, 1, 2])
    owners[2].reject(TestError())
    world.runUntilIdle()
    #expect(entered.entries == [0, 1, 2, 3, 4])
    owners[3].fulfill(1)
    owners[4].fulfill(1)
    world.runUntilIdle()
    #expect(entered.entries == [0, 1, 2, 3, 4, 5])
    owners[5].fulfill(1)
    world.runUntilIdle()
    #expect(entered.entries.last == 6)
  }

  @Test(
    "A writer enters when the last reader gives up, and readers when the last writer ahead of them does",
    arguments: [
      ("rrwr", [0, 1, 2], [[0, 1], [0, 1, 2], [0, 1, 2, 3]]),
      // The reader at the end does not pass the writer before it.
      ("rwwrwr", [1, 2, 4], [[0], [0, 3], [0, 3, 5]]),
      ("wrr", [0], [[0, 1, 2]]),
    ], CancelForm.allCases)
  func givingUp(_ queue: (kinds: String, cancelled: [Int], entered: [[Int]]), _ form: CancelForm) {
    let (_, entered, results) = line(Array(queue.kinds))
    world.runUntilIdle()
    for (number, expected) in zip(queue.cancelled, queue.entered) {
      form.apply(to: results[number])
      world.runUntilIdle()
      #expect(entered.entries == expected)
    }
  }

  @Test("A reader that enters its gate again as a reader hangs only if a writer waits", arguments: [false, true])
  func nested(_ hasWriter: Bool) {
    let (result, writer) = world.run {
      let gate = ReadersWriterGate()
      let result = gate.read { gate.read { .fulfilled(1) } }
      return (result, hasWriter ? gate.write { .fulfilled(2) } : .fulfilled(2))
    }
    world.runUntilIdle()
    #expect(result.isPending == hasWriter)
    result.cancel(upstream: true)
    world.runUntilIdle()
    #expect(writer.isFulfilled)
  }

  @Test("A gate admits a writer after five thousand concurrent readers, repeatedly")
  func many() {
    let gate = ReadersWriterGate()
    for _ in 0..<2 {
      let owner = Deferred<Int>()
      let context = ManualContext()
      let readers = (0..<5_000).map { _ in gate.read(on: context) { owner.promise } }
      let writer = gate.write(on: context) { .fulfilled(1) }
      context.runUntilIdle()
      #expect(writer.isPending)
      owner.fulfill(1)
      context.runUntilIdle()
      #expect(writer.isFulfilled && readers.allSatisfy { $0.isFulfilled })
    }
  }

  @Test("In any order, writers are alone, and every guest that has not given up is served")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 150, seed: 5) { world in
      let census = Tracked.Census()
      do {
        let inside = Locked((readers: 0, writers: 0, wrong: 0, most: 0))
        let gate = ReadersWriterGate()
        let work: @Sendable (Bool, Int) -> Door.Body = { writes, number in
          { [tracked = Tracked(census)] in
            withExtendedLifetime(tracked) {}
            inside.withLock { inside in
              if writes { inside.writers += 1 } else { inside.readers += 1 }
              inside.most = max(inside.most, inside.readers)
              if inside.writers > 1 || inside.writers > 0 && inside.readers > 0 { inside.wrong += 1 }
            }
            let leave: @Sendable () -> Void = {
              inside.withLock { if writes { $0.writers -= 1 } else { $0.readers -= 1 } }
            }
            return world.work("done \(number)", leaving: leave, end: { $0.fulfill(number) })
          }
        }
        let results = Array("rwrrwr").enumerated().map { number, kind in
          kind == "w"
            ? gate.write(on: world.pool, work(true, number)) : gate.read(on: world.pool, work(false, number))
        }
        world.sometime("1 gives up") { results[1].cancel() }
        world.sometime("3 gives up") { results[3].cancel() }
        world.runUntilIdle()
        world.expect(inside.withLock { $0.wrong == 0 && $0.readers == 0 && $0.writers == 0 })
        world.expect([0, 2, 4, 5].allSatisfy { results[$0].values == $0 })
      }
      world.expect(census.living == 0)
    }
  }
}
