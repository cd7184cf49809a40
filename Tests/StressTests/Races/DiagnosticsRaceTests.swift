import PromiseRecording
import Synchronization
import TestSupport
import Testing

extension Stress {
  @Suite("Races: diagnostics")
  struct DiagnosticsRaceTests {
    @Test("A rejection is reported exactly once if two threads release the promise", .rule("7.1"))
    func dropAndDrop() throws {
      let reports = Log<Int>()
      let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0.createdAt.line) }
      let rounds = try Diagnostics.scoped(unhandledRejection: hook) {
        try Duel.repeated { round in
          let context = ManualContext()
          let promise = Deferred<Int>(line: 1)
          let held = (Held(promise.promise), Held(promise.promise))
          promise.reject(TestError(1))
          return Duel {
            held.0.drop()
          } second: {
            // Hands the duty to report to a derived promise, and releases that promise.
            _ = held.1.object?.map(on: context, line: 2) { $0 }.asVoid(line: 3)
            held.1.drop()
          } firstCameFirst: {
            round % 2 == 0
          }
        }
      }
      #expect(reports.entries == Array(repeating: 3, count: rounds))
    }

    @Test("A handled rejection is never reported if another thread releases the owner at the same time", .rule("7.1"))
    func lookAndDrop() throws {
      let reports = Log<Int>()
      let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0.createdAt.line) }
      try Diagnostics.scoped(unhandledRejection: hook) {
        _ = try Duel.repeated { round in
          let context = ManualContext()
          let deferred = Deferred<Int>(line: 1)
          let held = (Held(deferred.promise), Held(deferred))
          let looks = round % 2 == 0
          return Duel {
            guard let promise = held.0.object else { return }
            promise.onRejected(on: context) { _ in }
            if looks { _ = promise.result }
            held.0.drop()
          } second: {
            held.1.object?.reject(TestError(1))
            held.1.drop()
          } firstCameFirst: {
            context.runUntilIdle()
            return looks
          }
        }
      }
      #expect(reports.entries == [])
    }

    @Test("A recording that is read while a link is attached has the owner as the only cause", .rule("8.2"))
    func attachAndRead() throws {
      try Duel.repeated { _ in
        let recorder = Recorder()
        let context = ManualContext()
        let owner = recorder.record { Deferred<Int>(line: 1) }
        return Duel {
          recorder.record { owner.promise.map(on: context, line: 2) { $0 } }
        } second: {
          recorder.recording
        } results: { link, recording in
          let causes = "\(recording.causes)"
          try #require(recording.causes.count == 1 && causes.contains("swift:1") && !causes.contains("swift:2"))
          owner.fulfill(1)
          context.runUntilIdle()
          try #require(link.isFulfilled)
          return recording.events.count == 2
        }
      }
    }

    @Test("A recording has the newest events in order, even if it is read while events are added and dropped")
    func appendAndRead() {
      let recorder = Recorder(capacity: 10)
      let rounds = Duel.manyRounds
      let met = Atomic<Int>(0)
      let wrong = Atomic<Int>(0)
      let isAdding = Atomic<Bool>(true)
      race([
        {
          var round = 0
          // The reader may get its core late.
          while round < rounds || met.load(ordering: .relaxed) < 2 && round < rounds * 1_000 {
            recorder.record { Deferred<Int>() }.fulfill(1)
            round += 1
          }
          isAdding.store(false, ordering: .relaxed)
        },
        {
          var newest = 0
          while isAdding.load(ordering: .relaxed) {
            let recording = recorder.recording
            let events = recording.events.suffix(10)
            let numbers = events.compactMap { event in
              if case .created(let creation) = event.kind { creation.id } else { nil }
            }
            let times = events.map(\.time)
            if numbers != numbers.sorted() || times != times.sorted() || (numbers.last ?? newest) < newest {
              wrong.add(1, ordering: .relaxed)
            }
            if let last = numbers.last, last > newest { met.add(1, ordering: .relaxed) }
            newest = numbers.last ?? newest
          }
        },
      ])
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(met.load(ordering: .relaxed) > 1)
    }

    /// A context that changes nothing.
    private struct PlainContext: CarriedContext {
      func run(_ handler: () -> Void) { handler() }
    }

    @Test(
      "A context is carried if and only if a closure is set, whichever of two threads has set it last", .rule("8.3"))
    func carry() {
      let captured = Log<Void>()
      let capture: @Sendable () -> (any CarriedContext)? = {
        captured.append(())
        return PlainContext()
      }
      defer { Diagnostics.carryContext(nil) }
      let wrong = raceOfProcess {
        Diagnostics.carryContext(capture)
      } first: {
        Diagnostics.carryContext(nil)
      } second: {
        Diagnostics.carryContext(capture)
      } isRight: {
        let count = captured.entries.count
        Promise.fulfilled(1).onFulfilled(on: ManualContext()) { _ in }
        let isSet = Diagnostics.carryContext(nil) != nil
        return (captured.entries.count > count) == isSet
      }
      #expect(wrong == 0)
    }

    @Test("A promise that is made after a recorder was started is recorded, even if another one starts meanwhile")
    func startAndStart() {
      let recorders = (0..<2).map { _ in Recorder(capacity: 10) }
      let recorded = (0..<2).map { _ in Answer<Bool>() }
      @Sendable func start(_ side: Int) {
        recorders[side].start()
        recorded[side](recordsNewPromises(recorders))
      }
      let wrong = raceOfProcess {
      } first: {
        start(0)
      } second: {
        start(1)
      } isRight: {
        for recorder in recorders { recorder.stop() }
        return recorded.allSatisfy { $0.value == true }
      }
      #expect(wrong == 0)
    }

    @Test("A recorder that stops leaves another one on that starts meanwhile")
    func stopAndStart() {
      let recorders = (0..<2).map { _ in Recorder(capacity: 10) }
      let wrong = raceOfProcess {
        recorders[0].start()
      } first: {
        recorders[0].stop()
      } second: {
        recorders[1].start()
      } isRight: {
        let isRecorded = recordsNewPromises(recorders)
        recorders[1].stop()
        return isRecorded
      }
      #expect(wrong == 0)
    }

    /// Repeats a race of two calls that change the same thing of the process, and returns in how many rounds the result
    /// was wrong.
    private func raceOfProcess(
      _ prepare: @escaping @Sendable () -> Void, first: @escaping @Sendable () -> Void,
      second: @escaping @Sendable () -> Void, isRight: @escaping @Sendable () -> Bool
    ) -> Int {
      let rounds = Duel.manyRounds * 2
      let barrier = Barrier(of: 2, rounds: rounds * 2)
      let wrong = Atomic<Int>(0)
      race([
        {
          for round in 0..<rounds {
            prepare()
            barrier.meet(2 * round)
            if round.isMultiple(of: 2) { spin(round &* 7 % 40) }
            first()
            barrier.meet(2 * round + 1)
            if !isRight() { wrong.add(1, ordering: .relaxed) }
          }
        },
        {
          for round in 0..<rounds {
            barrier.meet(2 * round)
            if !round.isMultiple(of: 2) { spin(round &* 7 % 40) }
            second()
            barrier.meet(2 * round + 1)
          }
        },
      ])
      return wrong.load(ordering: .relaxed)
    }
  }
}

/// Whether one of the recorders records a promise that is made now.
private func recordsNewPromises(_ recorders: [Recorder]) -> Bool {
  let owner = Deferred<Int>()
  defer { owner.fulfill(1) }
  return recorders.contains { owner.promise.number(in: $0) != nil }
}
