import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

extension Stress {
  /// Races of more than two calls, on flights, gates and lazy promises.
  @Suite(.serialized)
  struct GateRaceTests {
    private struct Clashing: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }

    @Test("A caller that joins a flight while the first caller gives up gets the value", .rule("4.8", "8.2"))
    func giveUp() throws {
      try Duel.leavingNothing(Duel.manyRounds / 4) { round, census in
        let (flights, context) = (SingleFlight<Clashing, Int>(), ManualContext())
        let running = Locked(0)
        let owners = Log<Deferred<Int>>()
        let ask: @Sendable (Int) -> Promise<Int> = { key in
          flights.run(for: Clashing(number: key), on: context) { [tracked = Tracked(census)] in
            let owner = Deferred<Int>()
            if key == 0 {
              running.withLock { $0 += 1 }
              owner.onCancel { _ in running.withLock { $0 -= 1 } }
            }
            owners.append(owner)
            return tracked.carrying(owner.promise)
          }
        }
        let first = ask(0)
        if round.isMultiple(of: 2) { context.runUntilIdle() }
        let second = Answer<Promise<Int>>()
        let other = Answer<Promise<Int>>()
        return Duel([
          { round.isMultiple(of: 3) ? first.cancel(upstream: true) : first.cancel() },
          { second(ask(0)) },
          { other(ask(1)) },
          { context.runUntilIdle() },
        ]) {
          context.runUntilIdle()
          let count = owners.entries.count
          #expect(running.withLock { $0 } == 1)
          #expect(first.isCancelled)
          #expect(second.value?.isPending == true)
          #expect(other.value?.isPending == true)
          for owner in owners.entries { owner.fulfill(7) }
          #expect(second.value?.state.value == 7)
          #expect(other.value?.state.value == 7)
          // The second caller joined the flight of the first caller or began a new flight. A flight that has not begun
          // leaves no trace.
          return round.isMultiple(of: 2) ? count == 2 : nil
        }
      }
    }

    @Test(
      "A serial gate serves the remaining callers while others enter, settle and give up at the same time",
      .rule("4.8", "8.2"))
    func givesUp() throws {
      try Duel.leavingNothing(Duel.manyRounds / 4) { round, census in
        let gate = SerialGate()
        let context = ManualContext()
        let owner = Deferred<Int>()
        let log = Log<Int>()
        let late = Answer<Promise<Int>>()
        let tracked = Locked<Tracked?>(Tracked(census))
        let first = gate.run(on: context) { owner.promise }
        context.runUntilIdle()
        let waiting = (1...3).map { number in
          gate.run(on: context) { [tracked = tracked.withLock { $0 }] () -> Promise<Int> in
            withExtendedLifetime(tracked) { log.append(owner.promise.isPending ? -1 : number) }
            return .fulfilled(number)
          }
        }
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
          #expect(!log.entries.contains(-1))
          #expect(log.entries == log.entries.sorted())
          #expect(waiting[1].state.value == 2)
          #expect(late.value?.state.value == 4)
          #expect([0, 2].allSatisfy { waiting[$0].isCancelled || waiting[$0].isFulfilled })
          #expect(first.isFulfilled || first.isCancelled)
          return first.isFulfilled
        }
      }
    }

    @Test(
      "A lazy promise that is started and cancelled at once runs at most once and rejects all consumers", .rule("8.2"))
    func lazyCancelled() throws {
      try Duel.leavingNothing(Duel.manyRounds / 4) { round, census in
        let context = ManualContext()
        let owner = Deferred<Int>()
        let runs = Runs(census)
        let lazy = LazyPromise.adopting(on: context) { [handler = runs.handler] in
          handler()
          return owner.promise
        }
        let promise = Answer<Promise<Int>>()
        let seen = Log<String>()
        return Duel([
          {
            lazy.start()
            context.runUntilIdle()
          },
          { lazy.cancel(reason: TestError(round)) },
          {
            promise(lazy.promise)
            lazy.onSettled(on: context) { if case .failure = $0 { seen.append("error") } else { seen.append("value") } }
          },
        ]) {
          context.runUntilIdle()
          #expect(runs.number <= 1)
          #expect(seen.entries == ["error"])
          #expect(lazy.isCancelled)
          #expect(promise.value?.isCancelled == true)
          #expect(!lazy.start())
          #expect(runs.number == 0 || owner.promise.isCancelled)
          return runs.number == 1
        }
      }
    }

    @Test("A lazy chain that several threads start at once runs once, and all callers get its outcome", .rule("8.2"))
    func lazy() throws {
      try Duel.leavingNothing(Duel.manyRounds / 4) { round, census in
        let context = ManualContext()
        let runs = Runs(census)
        let lazy = LazyPromise.run(on: context) { [handler = runs.handler] in
          handler()
          return round
        }.map(on: context) { [tracked = Tracked(census)] in tracked.carrying($0 + 1) }
        let last = lazy.derive { $0.map(on: context) { $0 + 1 } }
        let first = Answer<Bool>()
        let second = Answer<Bool>()
        let promise = Answer<Promise<Int>>()
        let seen = Log<Int>()
        return Duel([
          { first(last.start()) },
          { second(last.start()) },
          { promise(last.promise) },
          { lazy.onFulfilled(on: context) { seen.append($0) } },
          { context.runUntilIdle() },
        ]) {
          context.runUntilIdle()
          #expect(runs.number == 1)
          #expect(seen.entries == [round + 1])
          #expect(promise.value?.state.value == round + 2 && (try? last.result?.get()) == round + 2)
          #expect(first.value != true || second.value != true)
          return first.value == true ? true : second.value == true ? false : nil
        }
      }
    }

    @Test(
      "A limit serves all callers on four threads and never admits more than it has places for", .rule("8.2"),
      arguments: [1, 3])
    func served(_ places: Int) {
      let inside = Locked(0)
      let most = Locked(0)
      let served = Locked(0)
      let limit = ConcurrencyLimit(places)
      let census = Tracked.Census()
      let ended = Gate()
      let come: @Sendable () -> Void = {
        for _ in 0..<500 {
          let result = limit.run { [tracked = Tracked(census)] in
            let count = inside.increment()
            most.withLock { $0 = max($0, count) }
            // The caller leaves before its promise is settled, and so before its place is free.
            return tracked.carrying(Promise.run { 1 }.tap { _ in inside.withLock { $0 -= 1 } })
          }
          result.onSettled { _ in if served.increment() == 2_000 { ended.open() } }
        }
      }
      race(Array(repeating: come, count: 4))
      ended.wait("guests")
      #expect(most.withLock(\.self) <= places)
      #expect(served.withLock(\.self) == 2_000)
      #expect(census.living == 0)
    }
  }
}
