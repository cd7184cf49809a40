import PromiseGates
import TestSupport
import Testing

@Suite("ReadersWriterGate", .leavingNothing) struct ReadersWriterGateTests {
  let world = TestWorld()

  /// Queues a writer for each "w" and a reader for each other character. A guest stays inside until the test settles
  /// its owner.
  private func line(_ kinds: [Character]) -> (owners: [Deferred<Int>], entered: Log<Int>, results: [Promise<Int>]) {
    world.run {
      let gate = ReadersWriterGate()
      let owners = kinds.map { _ in Deferred<Int>() }
      let entered = Log<Int>()
      let results = kinds.enumerated().map { number, kind in
        let body: GateKind.Body = { entered.append(number, returning: owners[number].promise) }
        return kind == "w" ? gate.write(on: world.main, body) : gate.read(on: world.main, body)
      }
      return (owners, entered, results)
    }
  }

  @Test("Readers share the gate and writers are alone, in the order of the queue")
  func order() {
    let (owners, entered, _) = line(Array("rrwrrww"))
    // When one of the two readers has left, the other still reads.
    for (leaving, last) in [([Int](), 1), ([1], 1), ([0], 2), ([2], 4), ([3, 4], 5), ([5], 6)] {
      for number in leaving { owners[number].settle(number == 2 ? .failure(TestError()) : .success(1)) }
      world.runUntilIdle()
      #expect(entered.entries == Array(0...last))
    }
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
      world.runUntilIdle(after: form.apply(to: results[number]))
      #expect(entered.entries == expected)
    }
  }

  @Test("A reader that enters its gate again as a reader hangs only if a writer waits", arguments: [false, true])
  func nested(_ hasWriter: Bool) {
    let (result, writer) = world.start {
      let gate = ReadersWriterGate()
      let result = gate.read { gate.read { .fulfilled(1) } }
      return (result, hasWriter ? gate.write { .fulfilled(2) } : .fulfilled(2))
    }
    #expect(result.isPending == hasWriter)
    world.runUntilIdle(after: result.cancel(upstream: true))
    #expect(writer.isFulfilled)
  }
}
