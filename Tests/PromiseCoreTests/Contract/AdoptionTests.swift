import PromiseCore
import TestSupport
import Testing

@Suite("Adoption and following")
struct AdoptionTests {
  /// The ways in which one promise adopts or follows another.
  enum Way: CaseIterable, Sendable {
    case then, thenBothFulfilled, thenBothRejected, rescue, follow

    /// Makes a promise that adopts `inner`. Links adopt it when the context has run the handler.
    func adopt(_ inner: Promise<Int>, on context: ManualContext, line: UInt = #line) -> Promise<Int> {
      let failed = Promise<Int>.rejected(TestError(50))
      switch self {
      case .then: return Promise.fulfilled("").then(on: context, line: line) { _ in inner }
      case .thenBothFulfilled:
        return Promise.fulfilled("").then(on: context, fulfilled: { _ in inner }, rejected: { _ in .fulfilled(-1) })
      case .thenBothRejected:
        return failed.then(on: context, fulfilled: { _ in .fulfilled(-1) }, rejected: { _ in inner })
      case .rescue: return failed.rescue(on: context) { _ in inner }
      case .follow: return Promise<Int> { $0.follow(inner) }
      }
    }
  }

  @Test(
    "A settled promise is adopted at once, without a further hop", .rule("2.6", "3.1"),
    arguments: Way.allCases, Settlement.allCases)
  func settled(_ way: Way, _ settlement: Settlement) {
    let context = ManualContext()
    let inner = Deferred<Int>()
    inner.settle(settlement.result)
    let outer = way.adopt(inner.promise, on: context)
    #expect(context.runUntilIdle() == (way == .follow ? 0 : 1))
    #expect(outer.seen == settlement.seen)
  }

  @Test(
    "A pending promise is adopted as it settles, without a further hop", .rule("2.6", "3.1"),
    arguments: Way.allCases, Settlement.allCases)
  func pending(_ way: Way, _ settlement: Settlement) {
    let context = ManualContext()
    let inner = Deferred<Int>()
    let outer = way.adopt(inner.promise, on: context)
    context.runUntilIdle()
    #expect(outer.isPending)
    inner.settle(settlement.result)
    #expect(context.count == 0)
    #expect(outer.seen == settlement.seen)
  }

  @Test(
    "Several adopters receive the outcome of one promise, whether they adopt it before or after it settles",
    .rule("2.6", "3.1"), arguments: Settlement.allCases)
  func severalAdopters(_ settlement: Settlement) {
    let context = ManualContext()
    let log = Log<Seen<Int>>()
    let inner = Deferred<Int>()
    func adopters() -> [Promise<Int>] { Way.allCases.map { $0.adopt(inner.promise, on: context) } }
    let before = adopters()
    for promise in before { promise.onSettled(on: context) { log.append(Seen($0)) } }
    context.runUntilIdle()
    inner.settle(settlement.result)
    let after = adopters()
    context.runUntilIdle()
    for promise in before + after { #expect(promise.seen == settlement.seen) }
    #expect(log.entries == before.map { _ in settlement.seen })
  }

  @Test("Chains of adoptions settle at once when their last promise does", .rule("3.1"), arguments: Settlement.allCases)
  func chains(_ settlement: Settlement) {
    let context = ManualContext()
    let inner = Deferred<Int>()
    var promises = [inner.promise]
    for index in 0..<20 {
      promises.append(Way.allCases[index % Way.allCases.count].adopt(promises[index], on: context))
    }
    context.runUntilIdle()
    #expect(promises.allSatisfy { $0.isPending })
    inner.settle(settlement.result)
    #expect(promises.allSatisfy { $0.seen == settlement.seen })
    #expect(context.count == 0)
  }

  @Test(
    "An adopted promise lives until it settles, even if only the library retains it", .rule("2.6"),
    arguments: Way.allCases)
  func adoptedPromiseLives(_ way: Way) {
    // Only the library retains the inner promise and the promise between.
    let context = ManualContext()
    let inner = Deferred<Int>()
    let outer = way.adopt(way.adopt(inner.promise.map(on: context) { $0 + 1 }, on: context), on: context)
    context.runUntilIdle()
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
