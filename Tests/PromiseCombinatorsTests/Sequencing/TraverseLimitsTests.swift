import PromiseCombinators
import TestSupport
import Testing

@Suite("traverse: reading, steps, cancellation and lifetime", .leavingNothing)
struct TraverseLimitsTests {
  let world = TestWorld()

  @Test(
    "traverse of an endless sequence ends with the first error and reads no further",
    arguments: [.min, 0, 1, 3, Int.max])
  func endless(_ concurrency: Int) {
    let asked = Log<Int>()
    let all = world.run {
      Promise.traverse(Naturals(asked: asked), concurrency: concurrency, on: world.main) { number in
        if number == 100 { throw TestError(100) }
        return Promise.fulfilled(number)
      }
    }
    world.runUntilIdle()
    #expect(all.errorNumber == 100 && asked.entries == Array(0...100))
  }

  @Test(
    "traverse reads a sequence that is not Sendable once, to its end, and then releases it", arguments: [1, 2, 5, 100])
  func once(_ concurrency: Int) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let all = world.run {
      Promise.traverse(Once(5, asked, Tracked(census)), concurrency: concurrency) {
        [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { Promise.after(.seconds(1), fulfill: number) }
      }
    }
    #expect(asked.entries.isEmpty && census.living == 2, "nothing in the call")
    world.advance(by: .seconds(5))
    #expect(all.values == [0, 1, 2, 3, 4] && census.living == 0)
    #expect(asked.entries.prefix(6) == [0, 1, 2, 3, 4, 5])
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test(
    "traverse keeps as many promises pending as its concurrency allows while there are elements",
    arguments: [(1, 8), (2, 4), (3, 3), (8, 1)])
  func time(_ concurrency: Int, _ seconds: Int) {
    let all = world.run {
      Promise.traverse(0..<8, concurrency: concurrency) { number in Promise.after(.seconds(1), fulfill: number) }
    }
    world.advance(by: .seconds(seconds) - .nanoseconds(1))
    #expect(all.isPending)
    world.advance(by: .nanoseconds(1))
    #expect(all.values == Array(0..<8))
  }

  @Test("A cancelled element cancels the rest and the result of traverse", .rule("1.2"))
  func elementCancelled() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let all = world.run { Promise.traverse(0..<3, concurrency: 3) { owners[$0].promise } }
    world.runUntilIdle()
    owners[1].promise.cancel(reason: TestError(7))
    #expect(all.isCancelled && all.errorNumber == 7 && owners.allSatisfy { $0.promise.isCancelled })
  }

  @Test(
    "A traversal that is cancelled at any time reads and begins nothing more, and releases everything", .rule("4.6"),
    arguments: [false, true],
    0..<6)
  func cancelledAt(_ givesUp: Bool, _ steps: Int) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let begun = Log<Int>()
    let owners = (0..<9).map { _ in Deferred<Int>() }
    let all = world.run {
      Promise.traverse(Once(9, asked, Tracked(census)), concurrency: 2, on: world.main) {
        [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { begun.append(number) }
        return number < 2 ? .fulfilled(number) : owners[number].promise
      }
    }
    for _ in 0..<steps { world.step() }
    let before = (asked.entries, begun.entries)
    if givesUp { all.cancel(upstream: true) } else { all.cancel() }
    #expect(begun.entries.filter { $0 > 1 }.allSatisfy { owners[$0].promise.isCancelled })
    world.runUntilIdle()
    #expect(all.isCancelled && asked.entries == before.0 && begun.entries == before.1 && census.living == 0)
  }

  @Test("An error of a begun element ends the traversal while the next element is about to begin", .rule("4.8"))
  func errorBetween() {
    let begun = Log<Int>()
    let owners = (0..<4).map { _ in Deferred<Int>() }
    let all = world.run {
      Promise.traverse(0..<4, concurrency: 2, on: world.main) { number in
        begun.append(number, returning: owners[number].promise)
      }
    }
    world.runUntilIdle()
    owners[0].fulfill(0)
    owners[1].reject(TestError(1))
    world.runUntilIdle()
    #expect(all.errorNumber == 1 && begun.entries == [0, 1])
  }

  @Test("A context that drops its jobs rejects the traversal, and the pending elements are cancelled", .rule("6.2"))
  func dropped() {
    let census = Tracked.Census()
    let context = ManualContext()
    let owner = Deferred<Int>()
    let all = Promise.traverse(0..<4, concurrency: 2, on: context) { [tracked = Tracked(census)] number in
      withExtendedLifetime(tracked) { owner.promise }
    }
    context.step()
    context.dropAll()
    #expect(all.errorCode == .contextDropped)
    #expect(context.runUntilIdle() == 0 && census.living == 0 && owner.promise.isCancelled)
  }

  @Test(
    "A traversal that no client holds runs to its end, and only its first error is reported, once", .rule("6.1", "7.1"))
  func forgotten() {
    let begun = Log<Int>()
    let reports = reported {
      let context = ManualContext()
      do {
        _ = Promise.traverse(0..<4, concurrency: 2, on: context) { number in
          begun.append(number, returning: Promise.fulfilled(number))
        }
        _ = Promise.traverse(0..<4, concurrency: 4, on: context) { Promise<Int>.rejected(TestError($0)) }
        Promise.traverse(5..<9, concurrency: 2, on: context) { Promise<Int>.rejected(TestError($0)) }.cancel()
      }
      context.runUntilIdle()
    }
    #expect(begun.entries == [0, 1, 2, 3] && reports == [0])
  }

  @Test(
    "A long traversal of pending promises fails or is cancelled in a loop", .rule("6.4"), .slow,
    arguments: [false, true])
  func longPending(_ isCancelled: Bool) {
    let context = ManualContext()
    let owners = (0..<5_000).map { _ in Deferred<Int>() }
    let all = Promise.traverse(owners, concurrency: .max, on: context) { $0.promise }
    context.runUntilIdle()
    if isCancelled { all.cancel() } else { owners[2_500].reject(TestError(1)) }
    #expect(all.isCancelled == isCancelled && owners.allSatisfy { !$0.promise.isPending })
  }

  @Test("In any order, traverse never exceeds its concurrency, and keeps the order of elements and values")
  func everyOrder() throws {
    let cancelled = Log<Bool>()
    for givesUp in [false, true] {
      _ = try TestWorld.explore(schedules: 100, seed: 21) { world in
        let census = Tracked.Census()
        do {
          let pending = Locked((here: 0, most: 0))
          let asked = Log<Int>()
          let begun = Log<Int>()
          let all = Promise.traverse(Once(5, asked, Tracked(census)), concurrency: 2, on: world.pool) { number in
            begun.append(number)
            pending.withLock { $0 = ($0.here + 1, max($0.most, $0.here + 1)) }
            return world.work(
              "done \(number)", leaving: { pending.withLock { $0.here -= 1 } }, end: { $0.fulfill(number) })
          }
          if givesUp { world.sometime("gives up") { all.cancel() } }
          world.runUntilIdle()
          world.expect(pending.withLock { $0.here == 0 && $0.most <= 2 })
          world.expect(begun.entries == Array(0..<begun.entries.count), "in order")
          world.expect(all.isCancelled || all.values == [0, 1, 2, 3, 4])
          world.expect(givesUp || all.isFulfilled)
          if givesUp { cancelled.append(all.isCancelled) }
        }
        world.expect(census.living == 0)
      }
    }
    #expect(Set(cancelled.entries) == [false, true])
  }

  @Test("In any order, the first error rejects the traversal, and nothing stays pending")
  func everyOrderOfErrors() throws {
    let numbers = Log<Int>()
    _ = try TestWorld.explore(schedules: 100, seed: 4) { world in
      let all = Promise.traverse(0..<4, concurrency: 3) { number in
        let owner = Deferred<Int>()
        world.sometime("fails \(number)") { if owner.promise.isPending { owner.reject(TestError(number)) } }
        return owner.promise
      }
      world.runUntilIdle()
      numbers.append(all.errorNumber ?? -1)
      world.expect(all.isRejected && !all.isCancelled && (0...2).contains(all.errorNumber ?? -1))
    }
    #expect(Set(numbers.entries) == [0, 1, 2])
  }
}
