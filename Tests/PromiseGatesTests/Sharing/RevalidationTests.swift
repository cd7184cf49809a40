import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Loads that replace a stale value", .leavingNothing) struct RevalidationTests {
  private let world = TestWorld()
  private let works = (0..<3).map { _ in StoppableWork() }
  private let loads = Log<Int>()

  /// Returns a cache with a value that is stale for ten more seconds.
  private func staleCache() -> ValueCache<String, Int> {
    let cache = world.run { ValueCache<String, Int>(lifetime: .seconds(10), staleWhileRevalidating: .seconds(10)) }
    world.start { cache.value(for: "key", on: world.main) { .fulfilled(100) } }
    world.advance(by: .seconds(10))
    return cache
  }

  /// Asks for the value. Each load is the next work.
  private func ask(_ cache: ValueCache<String, Int>) -> Promise<Int> {
    world.start {
      cache.value(for: "key", on: world.main) { [loads, works] in
        let number = loads.entries.count
        return loads.append(number, returning: works[number].promise)
      }
    }
  }

  @Test("A revalidation that hangs is given up with the last caller that joined it", .rule("4.6"))
  func givenUp() {
    let cache = staleCache()
    #expect(ask(cache).state.value == 100)
    world.advance(by: .seconds(10))
    let callers = [ask(cache), ask(cache)]
    #expect(loads.entries == [0])
    callers[0].cancel()
    #expect(works[0].goesOn)
    #expect(callers[1].isPending)
    callers[1].cancel(reason: TestError(5), upstream: true)
    #expect(works[0].reasonNumbers == [5])
    #expect(cache.debugDescription.contains("0 loading"))
    let next = ask(cache)
    #expect(loads.entries == [0, 1])
    works[1].deferred.fulfill(7)
    #expect(next.state.value == 7)
    #expect(cache.cachedValue(for: "key") == 7)
  }

  @Test("A load that is given up while its cost is computed does not replace a newer value", .rule("2.5"))
  func givenUpInCost() {
    let duringCost = Locked<(@Sendable () -> Void)?>(nil)
    let cache = world.run {
      ValueCache<String, Int>(lifetime: .seconds(10)) { value in
        if value == 1 { duringCost.withLock { $0 }?() }
        return 1
      }
    }
    let ask = { @Sendable value in cache.value(for: "key", on: .atOnce) { Promise.fulfilled(value) } }
    #expect(ask(0).state.value == 0)
    world.advance(by: .seconds(10))
    // The entry of the old value stays, so a caller that comes after the cancellation has the same entry.
    let work = Deferred<Int>()
    let first = cache.value(for: "key", on: .atOnce) { work.promise }
    duringCost.withLock {
      $0 = {
        first.cancel()
        #expect(ask(2).state.value == 2)
      }
    }
    work.fulfill(1)
    #expect(first.isCancelled)
    #expect(cache.cachedValue(for: "key") == 2)
  }

  @Test("A revalidation that hangs is given up when the limit of its only caller expires", .rule("4.6"))
  func timedOut() {
    let cache = staleCache()
    _ = ask(cache)
    world.advance(by: .seconds(10))
    let caller = ask(cache)
    let limited = world.run { caller.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.failure?.code == .timedOut)
    #expect(works[0].isStopped)
  }

  @Test("A revalidation that no caller has joined goes on, whatever becomes of the stale values", .rule("4.6"))
  func nobodyJoined() {
    let cache = staleCache()
    ask(cache).cancel(upstream: true)
    ask(cache).cancel(upstream: true)
    #expect(works[0].goesOn)
    #expect(loads.entries == [0])
    works[0].deferred.fulfill(7)
    #expect(ask(cache).state.value == 7)
  }

  @Test("A caller that keeps a revalidation going gets its value when others give up", .rule("4.6"))
  func kept() {
    let cache = staleCache()
    _ = ask(cache)
    world.advance(by: .seconds(10))
    let callers = [ask(cache), ask(cache)]
    callers[0].cancel(upstream: true)
    works[0].deferred.fulfill(7)
    #expect(callers[1].state.value == 7)
    #expect(loads.entries == [0])
  }

  @Test("In any order of calls, a revalidation that hangs does not outlive the callers that joined it", .rule("4.6"))
  func everyOrder() throws {
    let exploration = try TestWorld.exploreAll { world in
      let cache = ValueCache<Int, Int>(lifetime: .seconds(10), staleWhileRevalidating: .seconds(10))
      let hanging = StoppableWork()
      let loads = Locked(0)
      let ask: @Sendable () -> Promise<Int> = {
        cache.value(for: 1, on: world.main) {
          let number = loads.increment()
          return number == 2 ? hanging.promise : .fulfilled(number)
        }
      }
      _ = ask()
      world.runUntilIdle()
      world.advance(by: .seconds(10))
      _ = ask()
      world.runUntilIdle()
      world.advance(by: .seconds(10))
      let isPatient = Log<Promise<Int>>()
      for number in 0..<3 {
        world.sometime("call \(number)") {
          let result = ask()
          if number == 2 { return isPatient.append(result) }
          world.sometime("give up \(number)") { result.cancel(upstream: true) }
        }
      }
      world.runUntilIdle()
      let patient = isPatient.entries[0]
      // The patient caller waits for the load that hangs, or began a new one after all others had given up.
      world.expect(patient.isPending == hanging.goesOn)
      world.expect(patient.isPending || patient.state.value == 3)
      patient.cancel()
      world.expect(hanging.isStopped)
      let last = ask()
      world.runUntilIdle()
      world.expect(last.state.value == 3)
    }
    #expect(exploration.isComplete)
    #expect(exploration.scheduleCount > 10)
  }
}
