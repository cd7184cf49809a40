import PromiseGates
import TestSupport
import Testing

@Suite("Key comparisons of SingleFlight", .rule("6.5"), .leavingNothing) struct SingleFlightComparisonTests {
  /// A key that calls a closure when it is compared or hashed.
  private struct Key: Hashable {
    let number: Int
    var hash = 0
    /// Receives the number of the other key. If the closure returns `nil`, the numbers are compared.
    var onEquals: @Sendable (Int) -> Bool? = { _ in nil }
    var onHash: @Sendable () -> Void = {}

    static func == (known: Key, new: Key) -> Bool { new.onEquals(known.number) ?? (known.number == new.number) }

    func hash(into hasher: inout Hasher) {
      onHash()
      hasher.combine(hash)
    }
  }

  private let flights = SingleFlight<Key, Int>()

  @Test("A call compares its key once with each flight, even while flights begin and end", arguments: [false, true])
  func comparesOnce(isClashing: Bool) throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let compared = Log<Int>()
      let others = Log<Promise<Int>>()
      let first = flights.run(for: Key(number: 0)) { owner.promise }
      let key = Key(number: 0) { number in
        compared.append(number)
        // A flight begins and another flight ends while the keys are compared. The number of flights is limited, so
        // that the test ends even if each flight causes another comparison.
        guard compared.entries.count < 100 else { return nil }
        others.entries.last?.cancel()
        let other = Key(number: compared.entries.count, hash: isClashing ? 0 : compared.entries.count)
        return others.append(flights.run(for: other) { Deferred<Int>().promise }, returning: nil)
      }
      let second = flights.run(for: key) { .fulfilled(-1) }
      world.expect(compared.entries == [0])
      world.runUntilIdle(after: others.entries.last?.cancel())
      owner.fulfill(7)
      world.expect([first, second].map(\.state.value) == [7, 7])
    }
  }

  @Test("A call that finds no flight compares its key only with flights that exist when its own flight begins")
  func startsAfterOneLook() throws {
    try TestWorld.run { world in
      let compared = Log<Int>()
      let others = Log<Promise<Int>>()
      others.append(flights.run(for: Key(number: 0)) { .fulfilled(0) })
      let key = Key(number: -1) { number in
        compared.append(number)
        let count = compared.entries.count
        guard count < 100 else { return nil }
        return others.append(flights.run(for: Key(number: count)) { .fulfilled(count) }, returning: nil)
      }
      others.append(flights.run(for: key) { .fulfilled(-1) })
      world.expect(compared.entries == [0, 1])
      world.runUntilIdle()
      world.expect(others.entries.map(\.state.value) == [0, 1, 2, -1])
    }
  }

  @Test("A client that joins a flight while a cancelled Task gives it up starts a new flight", .rule("4.6", "4.10"))
  func joinsGivenUpFlight() throws {
    try TestWorld.run { world in
      let owners = [Deferred<Int>(), Deferred<Int>()]
      let first = flights.run(for: Key(number: 0), on: world.main) { owners[0].promise }
      let task = Task(executorPreference: world.taskExecutor) { try? await first.value(cancelsSource: true) }
      world.runUntilIdle()
      // The flight stays in the table until the pool has a turn.
      let key = Key(number: 0) { _ in
        task.cancel()
        return nil
      }
      let second = flights.run(for: key, on: world.main) { owners[1].promise }
      #expect(owners[0].promise.isCancelled)
      world.runUntilIdle()
      owners[1].fulfill(1)
      #expect(second.state.value == 1)
    }
  }

  @Test("Flights that cancelled Tasks have given up do not gather while the pool is busy", .rule("6.5"))
  func givenUpFlights() throws {
    try TestWorld.run { world in
      let owners = (0..<3).map { _ in Deferred<Int>() }
      for owner in owners {
        let client = flights.run(for: Key(number: 0), on: world.main) { owner.promise }
        let task = Task(executorPreference: world.taskExecutor) { try? await client.value(cancelsSource: true) }
        // Runs the Task and the closure. The pool has its turn after the last call.
        world.runUntilIdle()
        task.cancel()
        #expect(owner.promise.isCancelled)
        let next = flights.run(for: Key(number: 0), on: world.main) { .fulfilled(1) }
        #expect(flights.debugDescription.contains(", 1 in progress"), "\(flights.debugDescription)")
        world.runUntilIdle()
        #expect(next.state.value == 1)
      }
    }
  }

  @Test("A call hashes its key once", arguments: [false, true])
  func hashesOnce(isInFlight: Bool) throws {
    try TestWorld.run { world in
      let count = Locked(0)
      var results: [Promise<Int>] = []
      if isInFlight { results.append(flights.run(for: Key(number: 0)) { .fulfilled(0) }) }
      results.append(flights.run(for: Key(number: 0, onHash: { _ = count.increment() })) { .fulfilled(0) })
      world.expect(count.withLock(\.self) == 1)
      world.runUntilIdle()
      world.expect(results.allSatisfy(\.isFulfilled))
    }
  }

  @Test("A client whose key is being compared shares one flight with clients that call meanwhile", arguments: [1, 2])
  func callsMeanwhile(comparison: Int) throws {
    try TestWorld.run { world in
      let begun = Log<Int>()
      let results = Log<Promise<Int>>()
      let owner = Deferred<Int>()
      let count = Locked(0)
      @Sendable func call(_ client: Int, onEquals: @escaping @Sendable (Int) -> Bool? = { _ in nil }) {
        results.append(
          flights.run(for: Key(number: -1, onEquals: onEquals)) { begun.append(client, returning: owner.promise) })
      }
      @Sendable func callOther(_ number: Int) {
        results.append(flights.run(for: Key(number: number)) { .fulfilled(0) })
      }
      callOther(1)
      // The client looks for a flight with its key, adds a flight, and then looks at the flights that were added in
      // between.
      call(1) { _ in
        let number = count.increment()
        if number == 1 { callOther(2) }
        if number == comparison {
          call(2)
          call(3)
        }
        return nil
      }
      world.runUntilIdle()
      world.expect(begun.entries == [comparison == 1 ? 2 : 1], "\(begun.entries)")
      owner.fulfill(7)
      world.expect(results.entries.compactMap(\.state.value).sorted() == [0, 0, 7, 7, 7])
    }
  }

  // Simulates a race at the end of a flight. One client still finds the flight, and the other client does not.
  @Test("A flight that another client has joined starts even if its own client finds another flight")
  func joinedBeforeItsStart() throws {
    try TestWorld.run { world in
      let begun = Log<Int>()
      let results = Log<Promise<Int>>()
      @Sendable func call(_ number: Int, onEquals: @escaping @Sendable (Int) -> Bool? = { _ in nil }) {
        results.append(
          flights.run(for: Key(number: number, onEquals: onEquals)) {
            begun.append(number, returning: .fulfilled(number))
          })
      }
      call(1)
      call(2) { other in
        if other == 1 { call(3) }
        if other == 3 { call(2) }
        return other == 3
      }
      world.runUntilIdle()
      world.expect(begun.entries.sorted() == [1, 2, 3])
      world.expect(results.entries.compactMap(\.state.value).sorted() == [1, 2, 2, 3])
    }
  }

  @Test("A call that blocks in a comparison delays no call for another key")
  func delaysNoOther() throws {
    try TestWorld.run { world in
      let inComparison = Gate()
      let gate = Gate()
      let owner = Deferred<Int>()
      let first = flights.run(for: Key(number: 0)) { owner.promise }
      let slow = Key(number: 0) { _ in
        inComparison.open()
        gate.wait()
        return nil
      }
      let joined = Log<Promise<Int>>()
      race([
        { joined.append(flights.run(for: slow) { .fulfilled(-1) }) },
        {
          inComparison.wait()
          for number in 1...100 { flights.run(for: Key(number: number, hash: number % 3)) { .fulfilled(0) }.cancel() }
          gate.open()
        },
      ])
      world.runUntilIdle()
      owner.fulfill(7)
      world.expect(first.state.value == 7 && joined.entries.map(\.state.value) == [7])
    }
  }
}
