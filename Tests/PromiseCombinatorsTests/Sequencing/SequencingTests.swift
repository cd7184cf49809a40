import PromiseCombinators
import TestSupport
import Testing

@Suite("forEach, repeat, reduce, chain, join, relay")
struct SequencingTests {
  let world = TestWorld()

  @Test("reduce combines the elements in order, and gives its initial value without elements")
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

  @Test("chain passes the value of each function to the next, and gives the initial value without functions")
  func chain() {
    let result = world.run {
      Promise.chain(1, [{ .fulfilled($0 + 1) }, { value in Promise.after(.seconds(1), fulfill: value * 10) }])
    }
    let empty = world.run { Promise.chain(5, []) }
    world.advance(by: .seconds(1))
    #expect(result.values == 20 && empty.values == 5)
  }

  @Test("join makes one promise of two, and rejects with the error of either")
  func join() {
    let inner = Deferred<Int>()
    let joined = Promise.fulfilled(inner.promise).join()
    #expect(joined.isPending)
    inner.fulfill(3)
    #expect(joined.values == 3)
    #expect(Promise<Promise<Int>>.rejected(TestError(1)).join().errorNumber == 1)
    #expect(Promise.fulfilled(Promise<Int>.rejected(TestError(2))).join().errorNumber == 2)
  }

  @Test("relay lets an owner follow the promise with its progress, and returns the promise itself")
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
