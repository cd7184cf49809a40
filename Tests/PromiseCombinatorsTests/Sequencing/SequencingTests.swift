import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("forEach, repeat, reduce, chain, join, relay")
struct SequencingTests {
  let world = TestWorld()

  @Test("rows E8 E11: one after another, each when the one before is done, and each element when it is wanted")
  func forEach() {
    let log = Log<String>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let all = world.run {
      let elements = (0..<3).lazy.map { element in
        log.append("ask \(element)")
        return element
      }
      return Promise.forEach(elements) { element in
        log.append("do \(element)")
        return owners[element].promise
      }
    }
    world.runUntilIdle()
    #expect(log.entries == ["ask 0", "do 0"] && all.isPending)
    for owner in owners {
      owner.fulfill(1)
      world.runUntilIdle()
    }
    #expect(log.entries == ["ask 0", "do 0", "ask 1", "do 1", "ask 2", "do 2"] && all.isFulfilled)
  }

  @Test("row E8: nothing to do is done; the first error ends it, thrown or not")
  func forEachEnds() {
    let log = Log<Int>()
    let (none, thrown, rejected) = world.run {
      (
        Promise.forEach([Int]()) { Promise.fulfilled($0) },
        Promise.forEach(0..<3) { number in
          log.append(number)
          if number == 1 { throw TestError(1) }
          return Promise.fulfilled(number)
        },
        Promise.forEach(0..<3) { number in number == 2 ? .rejected(TestError(2)) : Promise.fulfilled(number) }
      )
    }
    world.runUntilIdle()
    #expect(none.isFulfilled && thrown.errorNumber == 1 && rejected.errorNumber == 2 && log.entries == [0, 1])
  }

  @Test(
    "rule 4.8: cancelled, it ends, and cancels what it waits for, unless somebody else wants that",
    arguments: [false, true])
  func cancelled(_ isWanted: Bool) {
    let owner = Deferred<Int>()
    let other = isWanted ? owner.promise.map(on: world.main) { $0 } : nil
    let log = Log<Int>()
    let all = world.run {
      Promise.forEach(0..<3) { number in
        log.append(number)
        return owner.promise
      }
    }
    world.runUntilIdle()
    all.cancel()
    #expect(all.isCancelled && owner.promise.isCancelled == !isWanted && other?.isCancelled != true)
    owner.fulfill(1)
    world.runUntilIdle()
    #expect(log.entries == [0])
  }

  @Test("row E9: repeat ends when it is given nothing more, in flat memory (rule 3.3)")
  func loop() {
    let context = ManualContext()
    let count = Locked(0)
    let loop = Promise.repeat(on: context) { () -> Promise<Int>? in
      let number = count.increment()
      return number > 20_000 ? nil : .fulfilled(number)
    }
    context.runUntilIdle()
    #expect(loop.isFulfilled && count.withLock { $0 } == 20_001)
  }

  @Test("row D19: reduce combines in order, one at a time; of nothing it is the value itself")
  func reduce() {
    let (text, empty, failed) = world.run {
      (
        Promise.fulfilled("").reduce(1...3) { text, number in .fulfilled("\(text)\(number)") },
        Promise.fulfilled("x").reduce([Int]()) { text, _ in .fulfilled(text) },
        Promise.fulfilled("").reduce(1...3) { text, number in
          if number == 2 { throw TestError(2) }
          return .fulfilled(text)
        }
      )
    }
    world.runUntilIdle()
    #expect(text.values == "123" && empty.values == "x" && failed.errorNumber == 2)
  }

  @Test("row D18: a chain is a list of functions, each of which gets what the one before gives")
  func chain() {
    let result = world.run {
      Promise.chain(1, [{ .fulfilled($0 + 1) }, { value in Promise.after(.seconds(1), fulfill: value * 10) }])
    }
    let empty = world.run { Promise.chain(5, []) }
    world.advance(by: .seconds(1))
    #expect(result.values == 20 && empty.values == 5)
  }

  @Test("row D17: join makes one promise of two, and fails as either")
  func join() {
    let inner = Deferred<Int>()
    let joined = Promise.fulfilled(inner.promise).join()
    #expect(joined.isPending)
    inner.fulfill(3)
    #expect(joined.values == 3)
    #expect(Promise<Promise<Int>>.rejected(TestError(1)).join().errorNumber == 1)
    #expect(Promise.fulfilled(Promise<Int>.rejected(TestError(2))).join().errorNumber == 2)
  }

  @Test("rows C7 L1: relay lets an owner follow, with progress, and gives itself back")
  func relay() {
    let (source, target) = (Deferred<Int>(), Deferred<Int>())
    #expect(source.promise.relay(to: target) === source.promise)
    source.report(progress: 0.5)
    #expect(target.promise.progress == 0.5)
    source.fulfill(1)
    #expect(target.promise.values == 1)
    source.promise.relay(to: target)
    #expect(target.promise.values == 1)
  }
}
