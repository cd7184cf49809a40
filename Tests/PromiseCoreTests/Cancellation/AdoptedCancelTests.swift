import PromiseCore
import TestSupport
import Testing

@Suite("Cancellation of promises that have adopted another", .leavingNothing)
struct AdoptedCancelTests {
  let context = ManualContext()
  let log = Log<Failure>()

  private func owner() -> Deferred<Int> { .logging(to: log) }

  @Test("The last of several adopters to be cancelled cancels the adopted promise with its reason", .rule("4.4"))
  func lastOfSeveral() {
    let inner = owner()
    let adopters = Adopting.allCases.map { $0.adopt(inner.promise, on: context) }
    for (number, adopter) in adopters.enumerated() {
      #expect(inner.promise.isPending)
      adopter.promise.cancel(reason: TestError(number))
    }
    #expect(inner.promise.failure == .test(adopters.count - 1))
    #expect(log.entries == [.test(adopters.count - 1)])
  }

  @Test(
    "Cancelling an adopter gives up the source of the adopted promise and releases the captures of its links",
    .rule("2.5", "4.4"), arguments: Adopting.allCases)
  func givesUpParentOfAdopted(_ way: Adopting) {
    let census = Tracked.Census()
    let source = owner()
    let links = (0..<2).reduce(into: [source.promise]) { links, _ in
      links.append(
        links[links.count - 1].map(on: context) { [tracked = Tracked(census)] value in
          withExtendedLifetime(tracked) { value }
        })
    }
    let adopter = way.adopt(links[2], on: context)
    adopter.promise.cancel()
    #expect(census.living == 0)
    #expect(links.allSatisfy { $0.isCancelled } && log.entries == [.cancellation])
  }

  @Test(
    "A cancellation travels through a chain of adoptions to every promise", .rule("4.4"), arguments: Adopting.allCases,
    [2, 20])
  func chain(_ way: Adopting, count: Int) {
    let inner = owner()
    var adopters = [way.adopt(inner.promise, on: context)]
    for _ in 1..<count { adopters.append(way.adopt(adopters[adopters.count - 1].promise, on: context)) }
    adopters[count - 1].promise.cancel(reason: TestError(7))
    #expect(adopters.allSatisfy { $0.promise.isCancelled && $0.promise.seen == .failed(7) })
    #expect(inner.promise.seen == .failed(7) && log.entries == [.test(7)])
  }

  @Test(
    "A cancelled follower of several promises cancels all of them that have no other consumer", .rule("3.4", "4.4"),
    arguments: 1...3)
  func severalFollowed(count: Int) {
    let inner = (0..<count).map { _ in owner() }
    let shared = owner()
    let other = shared.promise.map(on: context) { $0 }
    let outer = owner()
    // Following a promise twice makes no difference.
    for deferred in inner + [inner[0], shared] { outer.follow(deferred.promise) }
    outer.promise.cancel(reason: TestError(7))
    #expect(inner.allSatisfy { $0.promise.isCancelled && $0.promise.seen == .failed(7) })
    #expect(shared.promise.isPending && other.isPending)
    #expect(log.entries == Array(repeating: .test(7), count: count + 1))
  }

  @Test(
    "A promise returned by a rejection handler is given up if the handler runs after the cancellation",
    .rule("2.5", "4.4"),
    arguments: [false, true])
  func returnedByLateHandler(isShared: Bool) {
    let (source, inner) = (owner(), owner())
    let promise = inner.promise
    let other = isShared ? promise.map(on: context) { $0 } : nil
    let derived = Adopting.thenBoth.derive(from: source.promise, on: context) { promise }
    derived.cancel(reason: TestError(7))
    #expect(inner.promise.isPending && source.promise.isPending)
    source.reject(TestError(1))
    context.step()
    // The test does not check the reason of `inner`, because the handler was kept without the reason (rule 4.9).
    #expect(inner.promise.isPending == isShared)
    #expect(inner.promise.isCancelled == !isShared)
    #expect(derived.seen == .failed(7))
    withExtendedLifetime(other) {}
  }

  @Test("A promise that waited for a passed-over promise is a consumer of the adopted promise", .rule("3.3", "4.4"))
  func consumersOfDissolved() {
    let (first, second, last) = (owner(), owner(), owner())
    let outer = first.promise.then(on: context) { [context] _ in
      // No code retains this promise. When it adopts `last`, the outer promise waits for `last` instead.
      second.promise.then(on: context) { _ in last.promise }
    }
    first.fulfill(1)
    second.fulfill(1)
    context.runUntilIdle()
    last.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(last.promise.isPending && outer.isPending)
    outer.cancel(upstream: true)
    #expect(last.promise.isCancelled)
  }

  @Test(
    "Only the last of a thousand adopters of a passed-over promise cancels the adopted promise",
    .rule("3.3", "4.4"))
  func collapsedByThousand() {
    let inner = owner()
    var middle: Promise<Int>? = Promise.fulfilled(1).then(on: context) { [inner = inner.promise] _ in inner }
    let adopters = (0..<1_000).map { _ in Deferred<Int>() }
    if let middle { for adopter in adopters { adopter.follow(middle) } }
    middle = nil
    context.runUntilIdle()
    for adopter in adopters.dropLast() { adopter.promise.cancel() }
    #expect(inner.promise.isPending && log.entries == [])
    adopters.last?.promise.cancel()
    #expect(inner.promise.isCancelled)
  }

  @Test(
    "A promise with hooks is not passed over, so its hooks run when it is given up", .rule("3.3", "4.5"),
    arguments: [false, true])
  func hooksOfUnheld(isHeld: Bool) {
    let (source, inner, outer) = (Deferred<Int>(), owner(), Deferred<Int>())
    let hooks = Log<Int>()
    var held: Promise<Int>?
    do {
      let middle = Deferred<Int>()
      middle.onCancel { _ in hooks.append(1) }
      middle.follow(source.promise.then(on: context) { [inner = inner.promise] _ in inner })
      outer.follow(middle.promise)
      if isHeld { held = middle.promise }
    }
    source.fulfill(1)
    context.runUntilIdle()
    outer.promise.cancel()
    #expect(hooks.entries == [1] && inner.promise.isCancelled)
    withExtendedLifetime(held) {}
  }

  @Test(
    "A promise whose owner observes its clients is not passed over, so it is cancelled without them",
    .rule("3.3", "4.6"), arguments: [false, true])
  func observingUnheld(isHeld: Bool) {
    let (source, inner, outer) = (Deferred<Int>(), owner(), Deferred<Int>())
    var held: Promise<Int>?
    do {
      let middle = Deferred<Int>(cancelWhenUnobserved: true)
      let link = source.promise.then(on: context) { [inner = inner.promise] _ in inner }
      middle.follow(link)
      outer.follow(middle.promise)
      if isHeld { held = link }
    }
    source.fulfill(1)
    context.runUntilIdle()
    #expect(inner.promise.isPending)
    outer.fulfill(7)
    #expect(inner.promise.isCancelled)
    withExtendedLifetime(held) {}
  }

  @Test(
    "Following a promise after the cancellation gives that promise up, with the same reason",
    .rule("1.3", "3.1", "4.4"))
  func followedLate() {
    let (outer, inner, shared) = (owner(), owner(), owner())
    let other = shared.promise.map(on: context) { $0 }
    outer.promise.cancel(reason: TestError(7))
    #expect(!outer.follow(inner.promise.map(on: context) { $0 }) && !outer.follow(shared.promise))
    #expect(inner.promise.isCancelled && inner.promise.seen == .failed(7))
    #expect(shared.promise.isPending && other.isPending)
  }

  @Test(
    "Following a promise after any other settlement leaves that promise alone", .rule("3.1"),
    arguments: OnCancelTests.Settling.allCases.filter { $0 != .ownerDropped })
  func followedAfterSettlement(_ settling: OnCancelTests.Settling) {
    let (outer, inner) = (owner(), owner())
    settling.apply(to: outer)
    #expect(!outer.follow(inner.promise) && !outer.follow(inner.promise.map(on: context) { $0 }))
    #expect(inner.promise.isPending && log.entries == [])
  }

  @Test(
    "Followed promises that lost go on without the follower as a consumer, even if the follower is cancelled later",
    .rule("3.4", "4.4", "4.8"), arguments: 0..<3, Settlement.allCases)
  func losersOfFollowing(winner: Int, _ settlement: Settlement) {
    let inner = (0..<3).map { _ in owner() }
    let outer = owner()
    for deferred in inner { outer.follow(deferred.promise) }
    inner[winner].settle(settlement.result)
    outer.promise.cancel(upstream: true)
    #expect(outer.promise.seen == settlement.seen && log.entries == [])
    for (index, loser) in inner.enumerated() where index != winner {
      #expect(loser.promise.isPending)
      loser.promise.map(on: context) { $0 }.cancel(upstream: true)
      #expect(loser.promise.isCancelled)
    }
  }
}
