import PromiseCombinators
import TestSupport
import Testing

@Suite("forEach, repeat, reduce, chain, join, relay", .leavingNothing) struct SequencingTests {
  let world = TestWorld()

  @Test("forEach reads an endless sequence that is not Sendable up to the first error, and releases it")
  func endless() {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let all = world.run {
      Promise.forEach(SingleUseSequence(.max, asked, Tracked(census)), on: world.main) { number in
        if number == 1_000 { throw TestError(1) }
        return Promise.after(.seconds(1), fulfill: number)
      }
    }
    world.advance(by: .seconds(999))
    #expect(all.isPending)
    #expect(asked.entries == Array(0..<1_000))
    world.advance(by: .seconds(1))
    #expect(all.failure == .test(1))
    #expect(asked.entries == Array(0...1_000))
    #expect(census.living == 0)
    #expect(world.armed == 0)
  }

  @Test("repeat goes on after a step with a nil value, and ends when there is no step", .rule("1.4"))
  func optionalSteps() {
    let count = Locked(0)
    let all = world.start {
      Promise.repeat(on: world.main) { () -> Promise<Int?>? in
        let number = count.increment()
        return number > 5 ? nil : .fulfilled(nil)
      }
    }
    #expect(all.isFulfilled)
    #expect(count.withLock { $0 } == 6)
  }

  @Test("reduce reads nothing before its promise settles, and passes on its error or cancellation", arguments: 0..<3)
  func reduceSource(_ kind: Int) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let source = Deferred<[Int]>()
    let reduced = world.start {
      source.promise.reduce(SingleUseSequence(3, asked, Tracked(census)), on: world.main) { values, number in
        .fulfilled(values + [number])
      }
    }
    #expect(asked.entries.isEmpty)
    switch kind {
    case 0: source.fulfill([9])
    case 1: source.reject(TestError(1))
    default: source.promise.cancel(reason: TestError(2))
    }
    world.runUntilIdle()
    #expect(reduced.state.value == (kind == 0 ? [9, 0, 1, 2] : nil))
    #expect(reduced.isCancelled == (kind == 2))
    #expect(reduced.failure == (kind == 0 ? nil : .test(kind)))
    #expect(asked.entries.isEmpty == (kind > 0))
    #expect(census.living == 0)
  }

  @Test("reduce takes optional elements and values, and gives its initial value without elements", .rule("1.4"))
  func reduceOptional() {
    let result = world.run {
      Promise<Int?>.fulfilled(nil).reduce([nil, 1, nil, 3, nil] as [Int?]) { _, element in .fulfilled(element) }
    }
    let empty = world.start { Promise.fulfilled(5).reduce([Int]()) { _, element in .fulfilled(element) } }
    #expect(result.state.value == .some(.none))
    #expect(empty.state.value == 5)
  }

  @Test("Each of three functions of a chain adds a third of its progress, and an error keeps it", .rule("5.2"))
  func chainProgress() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let chain = world.run { Promise.chain(0, owners.map { owner in { _ in owner.promise } }, on: world.main) }
    #expect(chain.progress == 0)
    for number in 0..<3 {
      world.runUntilIdle()
      owners[number].report(progress: 0.5)
      #expect(abs(chain.progress - (Double(number) + 0.5) / 3) < 1e-9)
      if number < 2 { owners[number].fulfill(number) } else { owners[number].reject(TestError(1)) }
    }
    #expect(abs(chain.progress - 2.5 / 3) < 1e-9)
    #expect(chain.failure == .test(1))
  }

  @Test("chain calls its functions on the context, each with the value before it, beginning with the initial value")
  func chainValues() {
    let context = ManualContext()
    let seen = Log<Int?>()
    let result = Promise<Int?>.chain(
      nil,
      (0..<4).map { number in
        { value in seen.append(value, returning: .fulfilled(number.isMultiple(of: 2) ? number : nil)) }
      }, on: context)
    #expect(seen.entries.isEmpty)
    #expect(context.runUntilIdle() >= 4)
    #expect(seen.entries == [nil, 0, nil, 2])
    #expect(result.state.value == .some(.none))
    #expect(Promise.chain(5, [], on: context).state.value == 5)
  }

  @Test("join makes one promise of two, and rejects with the error or the reason of either", .rule("1.2"))
  func join() {
    let inner = Deferred<Int>()
    let joined = Promise.fulfilled(inner.promise).join()
    #expect(joined.isPending)
    inner.fulfill(3)
    #expect(joined.state.value == 3)
    #expect(Promise<Promise<Int>>.rejected(TestError(1)).join().failure == .test(1))
    #expect(Promise.fulfilled(Promise<Int>.rejected(TestError(2))).join().failure == .test(2))
    let outers = (0..<2).map { _ in Deferred<Promise<Int>>() }
    let work = Deferred<Int>()
    let cancelled = outers.map { $0.promise.join() }
    outers[0].promise.cancel(reason: TestError(1))
    outers[1].fulfill(work.promise)
    work.promise.cancel(reason: TestError(1))
    #expect(cancelled.allSatisfy { $0.isCancelled && $0.failure == .test(1) })
  }

  @Test("join gives a half of its progress to each of the two promises", .rule("5.4"))
  func joinProgress() {
    let outer = Deferred<Promise<Int>>()
    let inner = Deferred<Int>()
    let joined = outer.promise.join()
    let weighted = joined.map(on: ManualContext(), weight: 2) { $0 }
    outer.report(progress: 0.5)
    #expect(joined.progress == 0.25)
    #expect(weighted.progress == 0.125)
    outer.fulfill(inner.promise)
    #expect(joined.progress == 0.5)
    inner.report(progress: 0.5)
    #expect(joined.progress == 0.75)
    #expect(weighted.progress == 0.375)
    inner.fulfill(1)
    #expect(joined.progress == 1)
  }

  @Test("The method reduce has a weight of 1", .rule("5.4"))
  func reduceProgress() {
    let initial = Deferred<Int>()
    let steps = (0..<2).map { _ in Deferred<Int>() }
    let result = initial.promise.reduce(0..<2, on: world.main) { _, number in steps[number].promise }
    let weighted = result.map(on: ManualContext(), weight: 2) { $0 }
    initial.report(progress: 0.5)
    #expect(result.progress == 0.25)
    #expect(weighted.progress == 0.125)
    world.runUntilIdle(after: initial.fulfill(0))
    #expect(result.progress == 0.5)
    #expect(weighted.progress == 0.25)
    for step in steps { world.runUntilIdle(after: step.fulfill(1)) }
    #expect(result.progress == 1)
  }

  @Test("relay lets an owner follow the promise with its progress, and returns the promise itself")
  func relay() {
    let source = Deferred<Int>()
    let target = Deferred<Int>()
    #expect(source.promise.relay(to: target) === source.promise)
    source.report(progress: 0.5)
    #expect(target.promise.progress == 0.5)
    source.fulfill(1)
    #expect(target.promise.state.value == 1)
  }
}
