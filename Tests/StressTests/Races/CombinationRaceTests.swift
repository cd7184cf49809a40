import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  /// Races between inputs that settle on several threads and a result that is cancelled, given up or observed.
  @Suite(.serialized)
  struct CombinationRaceTests {
    @Test("Each result is settled once if its inputs settle on many threads", .rule("8.2", "1.3"))
    func settled() {
      for round in 0..<200 {
        let owners = (0..<8).map { _ in Deferred<Int>() }
        let inputs = owners.map(\.promise)
        let all = Promise.all(inputs)
        let settled = Promise.allSettled(inputs)
        let any = Promise.any(inputs)
        let race = Promise.race(inputs)
        let failing = Promise.all(inputs + [.rejected(TestError())])
        TestSupport.race(
          (0..<4).map { thread in
            {
              for index in stride(from: thread, to: 8, by: 4) {
                if round.isMultiple(of: 3), index == 5 {
                  owners[index].reject(TestError(5))
                } else {
                  owners[index].fulfill(index)
                }
              }
            }
          })
        let isWhole = !round.isMultiple(of: 3)
        #expect((try? all.result?.get()) == (isWhole ? Array(0..<8) : nil) && !all.isPending)
        #expect((try? settled.result?.get())?.count == 8)
        #expect(any.isFulfilled && !race.isPending && failing.isRejected)
      }
    }

    @Test(
      "A result cancelled with its inputs while an input decides it gives up the other inputs or has the value",
      .rule("4.4", "8.2"))
    func cancelledWhileDeciding() throws {
      try Duel.repeated(Duel.manyRounds / 20 + 1) { _ in
        let owners = (0..<300).map { _ in Deferred<Int>() }
        let race = Promise.race(owners.map(\.promise))
        return Duel {
          owners[0].fulfill(1)
        } second: {
          race.cancel(upstream: true)
        } firstCameFirst: {
          try #require(race.isFulfilled || race.isCancelled)
          for owner in owners.dropFirst() { try #require(owner.promise.isCancelled == race.isCancelled) }
          return race.isFulfilled
        }
      }
    }

    @Test(
      "Either the cancel or the input wins if a result is cancelled while an input settles it",
      .rule("4.8", "4.9", "8.2"))
    func cancelled() {
      var cancelledFirst = 0
      for round in 0..<800 {
        let owner = Deferred<Int>()
        let patient = Deferred<Int>()
        let race = Promise.race([patient.promise, owner.promise])
        let outer = Promise.all([race])
        // Of every eight rounds, two have a fixed order, so that both orders occur.
        switch round % 8 {
        case 0:
          race.cancel()
          owner.fulfill(1)
        case 1:
          owner.fulfill(1)
          race.cancel()
        default:
          TestSupport.race([
            { owner.fulfill(round) }, { round.isMultiple(of: 2) ? race.cancel() : race.cancel(upstream: true) },
          ])
        }
        #expect(!race.isPending && !outer.isPending && race.isCancelled == outer.isCancelled)
        if race.isCancelled { cancelledFirst += 1 }
        #expect(!patient.promise.debugDescription.contains("consumer"))
      }
      #expect(cancelledFirst > 0 && cancelledFirst < 800)
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
        let wasSettled = Answer<Bool>()
        return Duel {
          // Each input occurs twice.
          let inputs = (owners + owners).map(\.promise)
          let result: AnyPromise = isRace ? Promise.race([patient.promise] + inputs) : Promise.all(inputs)
          wasSettled(!result.isPending)
          box.withLock { $0 = result }
        } second: {
          for index in [3, 1, 0, 2] { owners[index].fulfill(index) }
        } firstCameFirst: {
          weak var seen: AnyPromise?
          do {
            let result = try #require(box.withLock { $0.take() })
            try #require(result.isFulfilled)
            seen = result
          }
          try #require(seen == nil)
          try #require(!patient.promise.debugDescription.contains("consumer"))
          return wasSettled.value.map { !$0 }
        }
      }
    }

    @Test("Progress of a result never falls while its inputs report and settle on other threads", .rule("5.1", "8.2"))
    func progress() {
      let context = ManualContext()
      for _ in 0..<100 {
        let owners = (0..<3).map { _ in Deferred<Int>() }
        let all = Promise.all(owners.map(\.promise))
        let outer = Promise.race([all.map(on: context) { $0.count }])
        let seen = Log<Double>()
        TestSupport.race([
          { for step in 1...10 { owners[0].report(progress: Double(step) / 10) } },
          { for owner in owners { owner.fulfill(1) } },
          {
            outer.onProgress(on: context) { seen.append($0) }
            var last = 0.0
            for _ in 0..<10 {
              let next = all.progress
              if next < last { Issue.record("\(next) after \(last)") }
              last = next
            }
          },
          { context.runUntilIdle() },
        ])
        context.runUntilIdle()
        #expect(all.progress == 1 && outer.progress == 1)
        #expect(seen.entries == seen.entries.sorted())
      }
    }
  }
}
