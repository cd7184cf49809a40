import PromiseCore
import TestSupport
import Testing

@Suite("Adoption and following")
struct AdoptionTests {
  @Test(
    "An adopted promise lives until it settles, even if only the library retains it", .rule("2.6"),
    arguments: Adopting.allCases)
  func adoptedPromiseLives(_ way: Adopting) {
    // Only the library retains the inner promise and the promise between.
    let (context, inner) = (ManualContext(), Deferred<Int>())
    let between = { way.adopt(inner.promise.map(on: context) { $0 + 1 }, on: context).promise }
    let outer = way.adopt(between(), on: context).promise
    #expect(outer.isPending)
    inner.fulfill(1)
    context.runUntilIdle()
    #expect(outer.seen == .fulfilled(2))
  }

  @Test(
    "The first of several followed promises to settle wins, and the others are left alone", .rule("3.4"),
    arguments: 0..<3)
  func severalFollowed(winner: Int) {
    let context = ManualContext()
    let log = Log<Seen<Int>>()
    let inner = (0..<3).map { _ in Deferred<Int>() }
    let deferred = Deferred<Int>()
    deferred.promise.onSettled(on: context) { log.append(Seen($0)) }
    for deferredInner in inner { deferred.follow(deferredInner.promise) }
    inner[winner].reject(TestError(winner))
    #expect(deferred.promise.seen == .failed(winner))
    for (index, other) in inner.enumerated() where index != winner {
      #expect(other.promise.isPending)
      #expect(other.fulfill(10 + index))
      #expect(other.promise.seen == .fulfilled(10 + index))
    }
    context.runUntilIdle()
    #expect(log.entries == [.failed(winner)])
  }

  @Test("A settled promise that is followed after a pending promise wins at once", .rule("3.4"))
  func settledAfterPending() {
    let inner = Deferred<Int>()
    let deferred = Deferred<Int>()
    deferred.follow(inner.promise)
    #expect(deferred.follow(.fulfilled(7)))
    #expect(deferred.promise.seen == .fulfilled(7))
    #expect(inner.promise.isPending)
  }

  @Test("Following a promise twice, or two promises that wait for the same promise, closes no ring", .rule("3.2"))
  func noFalseRings() {
    let context = ManualContext()
    let source = Deferred<Int>()
    let left = Deferred<Int>()
    let right = source.promise.recover(on: context) { _ in 0 }
    let end = Deferred<Int>()
    left.follow(source.promise)
    end.follow(source.promise)
    end.follow(source.promise)
    end.follow(left.promise)
    end.follow(right)
    let derived = end.promise.then(on: context) { _ in right }
    #expect(end.promise.isPending && left.promise.isPending && right.isPending)
    source.fulfill(8)
    context.runUntilIdle()
    #expect(end.promise.seen == .fulfilled(8))
    #expect(derived.seen == .fulfilled(8))
  }
}
