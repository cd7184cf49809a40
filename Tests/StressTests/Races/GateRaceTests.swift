import PromiseCombinators
import Synchronization
import TestSupport
import Testing

extension Stress {
  /// Races of callers that enter a gate, are served and give up on several threads.
  @Suite(.serialized)
  struct GateRaceTests {
    /// Tracks the callers inside a gate, and counts those that entered although another caller should have kept them
    /// out.
    private final class Room: Sendable {
      private let state = Locked((guests: [(promise: Promise<Int>, writes: Bool)](), wrong: 0))
      var isEmptyAndWasRight: Bool {
        state.withLock { state in state.wrong == 0 && !state.guests.contains { $0.promise.isPending } }
      }

      /// Enters the room. The caller is inside until its promise is cancelled.
      func visit(_ owners: Log<Deferred<Int>>, writes: Bool = false) -> Promise<Int> {
        let owner = Deferred<Int>()
        state.withLock { state in
          // A caller is inside while its promise is pending. A hook would be too late, because it runs after the
          // settlement, when the next caller may already be inside (rule 4.5).
          let inside = state.guests.filter { $0.promise.isPending }
          if inside.contains(where: { $0.writes || writes }) { state.wrong += 1 }
          state.guests.append((owner.promise, writes))
        }
        owners.append(owner)
        return owner.promise
      }
    }

    @Test(
      "A limit serves all callers on four threads and never admits more than it has places for", .rule("8.2"),
      arguments: [1, 3])
    func served(_ places: Int) {
      let inside = Atomic<Int>(0)
      let most = Atomic<Int>(0)
      let served = Atomic<Int>(0)
      let limit = Limit(places)
      let census = Tracked.Census()
      let ended = Gate()
      race(
        (0..<4).map { _ in
          {
            for _ in 0..<500 {
              let result = limit.run { [tracked = Tracked(census)] in
                withExtendedLifetime(tracked) {}
                most.max(inside.add(1, ordering: .sequentiallyConsistent).newValue, ordering: .sequentiallyConsistent)
                // The caller leaves before its promise is settled, and so before its place is free.
                return Promise.run { 1 }.tap { _ in inside.subtract(1, ordering: .sequentiallyConsistent) }
              }
              result.onSettled { _ in
                if served.add(1, ordering: .sequentiallyConsistent).newValue == 2_000 { ended.open() }
              }
            }
          }
        })
      ended.wait("guests")
      #expect(most.load(ordering: .sequentiallyConsistent) <= places)
      #expect(served.load(ordering: .sequentiallyConsistent) == 2_000 && census.living == 0)
    }

    @Test(
      "A serial gate serves the remaining callers while others enter, settle and give up at the same time",
      .rule("4.8", "8.2"))
    func givesUp() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let gate = SerialGate()
        let context = ManualContext()
        let owner = Deferred<Int>()
        let log = Log<Int>()
        let tracked = Locked<Tracked?>(Tracked(census))
        let first = gate.run(on: context) { owner.promise }
        context.runUntilIdle()
        let waiting = (1...3).map { number in
          gate.run(on: context) { [tracked = tracked.withLock { $0 }] () -> Promise<Int> in
            withExtendedLifetime(tracked) { log.append(owner.promise.isPending ? -1 : number) }
            return .fulfilled(number)
          }
        }
        let late = Answer<Promise<Int>>()
        return Duel([
          { owner.fulfill(0) },
          { round.isMultiple(of: 2) ? first.cancel() : first.cancel(upstream: true) },
          {
            waiting[0].cancel()
            waiting[2].cancel()
          },
          { late(gate.run(on: context) { .fulfilled(4) }) },
          { context.runUntilIdle() },
        ]) {
          context.runUntilIdle()
          tracked.withLock { $0 = nil }
          #expect(!log.entries.contains(-1) && log.entries == log.entries.sorted())
          #expect((try? waiting[1].result?.get()) == 2 && (try? late.value?.result?.get()) == 4)
          #expect([0, 2].allSatisfy { waiting[$0].isCancelled || waiting[$0].isFulfilled })
          #expect(first.isFulfilled || first.isCancelled)
          return first.isFulfilled
        }
      }
      #expect(census.living == 0)
    }

    @Test(
      "Writers are alone and no caller hangs if readers and writers on many threads give up", .rule("8.2")
    )
    func writers() {
      for _ in 0..<150 {
        let room = Room()
        let gate = ReadersWriterGate()
        let context = ManualContext()
        let owners = Log<Deferred<Int>>()
        let results = Log<Promise<Int>>()
        let coming = (0..<3).map { thread -> @Sendable () -> Void in
          {
            for number in 0..<6 {
              let result =
                (number + thread).isMultiple(of: 3)
                ? gate.write(on: context) { room.visit(owners, writes: true) }
                : gate.read(on: context) { room.visit(owners) }
              results.append(result)
              if number.isMultiple(of: 4) { result.cancel() }
            }
          }
        }
        race(
          coming + [
            {
              for _ in 0..<20 {
                context.runUntilIdle()
                for owner in owners.entries { owner.promise.cancel() }
              }
            }
          ])
        // This thread alone completes the remaining callers.
        var rounds = 0
        while results.entries.contains(where: \.isPending), rounds < 100 {
          rounds += 1
          context.runUntilIdle()
          for owner in owners.entries { owner.promise.cancel() }
        }
        #expect(rounds < 100, "somebody waits for ever")
        #expect(room.isEmptyAndWasRight)
      }
    }

    @Test(
      "Callers of a rate limit on three threads are served or give up while time passes, and no timer is left"
    )
    func rate() throws {
      for _ in 0..<100 {
        let world = TestWorld()
        let started = Log<Duration>()
        let results = Log<Promise<Int>>()
        let limit = world.run { RateLimit(2, per: .seconds(1)) }
        race([
          {
            for number in 0..<10 {
              results.append(
                world.run {
                  limit.run(on: world.main) {
                    started.append(world.clock.elapsed)
                    return .fulfilled(number)
                  }
                })
            }
          },
          { for result in results.entries { result.cancel() } },
          { for _ in 0..<10 { world.advance(by: .milliseconds(400)) } },
        ])
        world.advance(by: .seconds(20))
        #expect(results.entries.allSatisfy { $0.isFulfilled || $0.isCancelled })
        #expect(
          started.entries.count >= results.entries.count { $0.isFulfilled }
            && started.entries == started.entries.sorted())
        try world.verify([.timers, .waiting])
      }
    }
  }
}
