import PromiseCombinators
import Synchronization
import TestSupport
import Testing

extension Stress {
  /// Races of several threads that share flights, start lazy promises or run a traverse.
  @Suite(.serialized)
  struct FlightRaceTests {
    private struct Clashing: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }

    @Test("A caller that joins a flight while the first caller gives up gets the value", .rule("4.8", "8.2"))
    func giveUp() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let flights = SingleFlight<Clashing, Int>()
        let context = ManualContext()
        let running = Locked(0)
        let owners = Log<Deferred<Int>>()
        let ask: @Sendable (Int) -> Promise<Int> = { key in
          flights.run(Clashing(number: key), on: context) { [tracked = Tracked(census)] in
            withExtendedLifetime(tracked) {}
            let owner = Deferred<Int>()
            if key == 0 {
              running.withLock { $0 += 1 }
              owner.onCancel { _ in running.withLock { $0 -= 1 } }
            }
            owners.append(owner)
            return owner.promise
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
          #expect(first.isCancelled && second.value?.isPending == true && other.value?.isPending == true)
          for owner in owners.entries { owner.fulfill(7) }
          #expect((try? second.value?.result?.get()) == 7 && (try? other.value?.result?.get()) == 7)
          // The second caller joined the flight of the first caller or began a new flight. A flight that has not begun
          // leaves no trace.
          return round.isMultiple(of: 2) ? count == 2 : nil
        }
      }
      #expect(census.living == 0)
    }

    @Test(
      "SingleFlight runs one operation per key at a time for four threads, and all callers get its value", .rule("8.2")
    )
    func asking() {
      let flights = SingleFlight<Clashing, Int>()
      let running = (0..<3).map { _ in Locked((here: 0, most: 0)) }
      let wrong = Atomic<Int>(0)
      let served = Atomic<Int>(0)
      let ended = Gate()
      race(
        (0..<4).map { _ in
          {
            for number in 0..<600 {
              let key = number % 3
              let result = flights.run(Clashing(number: key)) {
                running[key].withLock { $0 = ($0.here + 1, max($0.most, $0.here + 1)) }
                return Promise.run { key }.tap { _ in running[key].withLock { $0.here -= 1 } }
              }
              result.onSettled { outcome in
                if case .success(key) = outcome {} else { wrong.add(1, ordering: .relaxed) }
                if served.add(1, ordering: .sequentiallyConsistent).newValue == 2_400 { ended.open() }
              }
            }
          }
        })
      ended.wait("flights")
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(running.allSatisfy { $0.withLock { $0.most == 1 && $0.here == 0 } })
    }

    @Test("A lazy chain that several threads start at once runs once, and all callers get its outcome", .rule("8.2"))
    func lazy() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let context = ManualContext()
        let runs = Atomic<Int>(0)
        let lazy = LazyPromise.run(on: context) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { _ = runs.add(1, ordering: .relaxed) }
          return round
        }.map(on: context) { [tracked = Tracked(census)] value in withExtendedLifetime(tracked) { value + 1 } }
        let last = lazy.derive { $0.map(on: context) { $0 + 1 } }
        let (first, second) = (Answer<Bool>(), Answer<Bool>())
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
          #expect(runs.load(ordering: .relaxed) == 1 && seen.entries == [round + 1])
          #expect((try? promise.value?.result?.get()) == round + 2 && (try? last.result?.get()) == round + 2)
          #expect(first.value != true || second.value != true)
          return first.value == true ? true : second.value == true ? false : nil
        }
      }
      #expect(census.living == 0)
    }

    @Test(
      "A lazy promise that is started and cancelled at once runs at most once and rejects all consumers", .rule("8.2"))
    func lazyCancelled() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let context = ManualContext()
        let runs = Atomic<Int>(0)
        let owner = Deferred<Int>()
        let lazy = LazyPromise.adopting(on: context) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { _ = runs.add(1, ordering: .relaxed) }
          return owner.promise
        }
        let promise = Answer<Promise<Int>>()
        let started = Answer<Bool>()
        let seen = Log<String>()
        return Duel([
          {
            started(lazy.start())
            context.runUntilIdle()
          },
          { lazy.cancel(reason: TestError(round)) },
          {
            promise(lazy.promise)
            lazy.onSettled(on: context) { if case .failure = $0 { seen.append("error") } else { seen.append("value") } }
          },
        ]) {
          context.runUntilIdle()
          #expect(runs.load(ordering: .relaxed) <= 1 && seen.entries == ["error"] && lazy.isCancelled)
          #expect(promise.value?.isCancelled == true && !lazy.start())
          #expect(runs.load(ordering: .relaxed) == 0 || owner.promise.isCancelled)
          return runs.load(ordering: .relaxed) == 1
        }
      }
      #expect(census.living == 0)
    }

    @Test(
      "A traverse that is cancelled while its promises settle and begin leaves no promise pending", .rule("4.8", "8.2"))
    func traverse() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let context = ManualContext()
        let owners = (0..<4).map { _ in Deferred<Int>() }
        let begun = Log<Int>()
        let all = Promise.traverse(0..<4, concurrency: 3, on: context) { [tracked = Tracked(census)] number in
          withExtendedLifetime(tracked) { begun.append(number) }
          return owners[number].promise
        }
        if round.isMultiple(of: 2) { context.runUntilIdle() }
        return Duel([
          {
            for owner in owners { owner.fulfill(1) }
            context.runUntilIdle()
          },
          { round.isMultiple(of: 3) ? all.cancel(upstream: true) : all.cancel() },
          { context.runUntilIdle() },
        ]) {
          context.runUntilIdle()
          #expect(all.isCancelled || (try? all.result?.get()) == [1, 1, 1, 1])
          #expect(begun.entries == Array(0..<begun.entries.count))
          #expect(begun.entries.allSatisfy { !owners[$0].promise.isPending })
          return all.isFulfilled
        }
      }
      #expect(census.living == 0)
    }

    @Test(
      "A traverse with rejections on several threads rejects with either error and leaves no promise pending",
      .rule("1.3", "8.2")
    )
    func traverseErrors() throws {
      try Duel.repeated(Duel.manyRounds / 4) { _ in
        let context = ManualContext()
        let owners = (0..<4).map { _ in Deferred<Int>() }
        let all = Promise.traverse(0..<4, concurrency: 4, on: context) { owners[$0].promise }
        context.runUntilIdle()
        return Duel([
          { owners[0].reject(TestError(0)) }, { owners[3].reject(TestError(3)) }, { owners[1].fulfill(1) },
        ]) {
          context.runUntilIdle()
          #expect(all.isRejected && !all.isCancelled && owners.allSatisfy { !$0.promise.isPending })
          #expect(owners[2].promise.isCancelled)
          guard case .failure(let error) = all.result, let number = (error as? TestError)?.number else { return nil }
          return number == 0
        }
      }
    }
  }
}
