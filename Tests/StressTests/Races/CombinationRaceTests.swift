import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  /// Races between inputs that settle on several threads and a result that is cancelled, given up or observed.
  @Suite(.serialized)
  struct CombinationRaceTests {
    @Test(
      "A result cancelled while an input decides it gives up or leaves the other inputs, or has the value",
      .rule("4.4", "4.8", "4.9", "8.2"), arguments: [true, false])
    func cancelledWhileDeciding(upstream: Bool) throws {
      try Duel.repeated(Duel.manyRounds / 20 + 1) { _ in
        let owners = (0..<300).map { _ in Deferred<Int>() }
        let race = Promise.race(owners.map(\.promise))
        let outer = Promise.all([race])
        return Duel(owners[0].fulfill(1), against: race.cancel(upstream: upstream)) { _, _ in
          try #require(race.isFulfilled || race.isCancelled)
          try #require(!outer.isPending && outer.isCancelled == race.isCancelled)
          for owner in owners.dropFirst() {
            try #require(owner.promise.isCancelled == (upstream && race.isCancelled))
          }
          try #require(!owners[299].promise.debugDescription.contains("consumer"))
          return race.isFulfilled
        }
      }
    }

    @Test(
      "Inputs that settle while they are being attached settle the result and leave nothing behind",
      .rule("4.9", "6.3", "8.2"))
    func attaching() throws {
      try Duel.repeated { round in
        let owners = (0..<4).map { _ in Deferred<Int>() }
        let patient = Deferred<Int>()
        let isRace = round.isMultiple(of: 2)
        let box = Locked<AnyPromise?>(nil)
        return Duel {
          // Each input occurs twice.
          let inputs = (owners + owners).map(\.promise)
          let result: AnyPromise = isRace ? Promise.race([patient.promise] + inputs) : Promise.all(inputs)
          let isPending = result.isPending
          box.withLock { $0 = result }
          return isPending
        } second: {
          for index in [3, 1, 0, 2] { owners[index].fulfill(index) }
        } results: { isPending, _ in
          weak var seen: AnyPromise?
          do {
            let result = try #require(box.withLock { $0.take() })
            try #require(result.isFulfilled)
            seen = result
          }
          try #require(seen == nil)
          try #require(!patient.promise.debugDescription.contains("consumer"))
          return isPending
        }
      }
    }
  }
}
