import TestSupport
import Testing

@Suite("Cancellation of promises that have adopted another", .leavingNothing) struct AdoptedCancelTests {
  let context = ManualContext()
  let log = Log<Failure>()

  /// Makes an owner whose hook logs the reasons.
  private func owner() -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [log] in log.append(Failure($0)) }
    return deferred
  }

  @Test("A promise that a late rejection handler returns is given up", .rule("2.5", "4.4"), arguments: [false, true])
  func returnedByLateHandler(isShared: Bool) {
    let source = owner()
    let inner = owner()
    let promise = inner.promise
    let other = isShared ? promise.map(on: context) { $0 } : nil
    let derived = source.promise.then(on: context, fulfilled: { _ in promise }, rejected: { _ in promise })
    derived.cancel(reason: TestError(7))
    #expect(inner.promise.isPending)
    #expect(source.promise.isPending)
    source.reject(TestError(1))
    context.step()
    #expect(derived.status == .failed(7))
    #expect(inner.promise.isPending == isShared)
    if !isShared { #expect(inner.promise.status == .failed(7)) }
    withExtendedLifetime(other) {}
  }

  @Test("A promise that waited for a passed-over promise is a consumer of the adopted promise", .rule("3.3", "4.4"))
  func consumersOfDissolved() {
    let first = owner()
    let second = owner()
    let last = owner()
    let outer = first.promise.then(on: context) { [context] _ in
      // No code retains this promise. When it adopts `last`, the outer promise waits for `last` instead.
      second.promise.then(on: context) { _ in last.promise }
    }
    first.fulfill(1)
    second.fulfill(1)
    context.runUntilIdle()
    last.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(last.promise.isPending)
    #expect(outer.isPending)
    outer.cancel(upstream: true)
    #expect(last.promise.isCancelled)
  }

  @Test("Only the last of 1,000 adopters of a passed-over promise cancels the adopted promise", .rule("3.3", "4.4"))
  func collapsedByThousand() {
    let inner = owner()
    var middle: Promise<Int>? = Promise.fulfilled(1).then(on: context) { [inner = inner.promise] _ in inner }
    let adopters = (0..<1_000).map { _ in Deferred<Int>() }
    if let middle { for adopter in adopters { adopter.follow(middle) } }
    middle = nil
    context.runUntilIdle()
    for adopter in adopters.dropLast() { adopter.promise.cancel() }
    #expect(inner.promise.isPending)
    #expect(log.entries == [])
    adopters.last?.promise.cancel()
    #expect(inner.promise.isCancelled)
  }

  @Test("A promise with hooks is not passed over, so its hooks run", .rule("3.3", "4.5"), arguments: [false, true])
  func hooksOfUnheld(isHeld: Bool) {
    let source = Deferred<Int>()
    let inner = owner()
    let outer = Deferred<Int>()
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
    #expect(hooks.entries == [1])
    #expect(inner.promise.isCancelled)
    withExtendedLifetime(held) {}
  }

  @Test("A promise whose owner observes its clients is not passed over", .rule("3.3", "4.6"), arguments: [false, true])
  func observingUnheld(isHeld: Bool) {
    let source = Deferred<Int>()
    let inner = owner()
    let outer = Deferred<Int>()
    var held: Promise<Int>?
    do {
      let middle = Deferred<Int>(cancelsWithoutClients: true)
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

  @Test("Following a promise after the cancellation gives it up, with the same reason", .rule("1.3", "3.1", "4.4"))
  func followedLate() {
    let outer = owner()
    let inner = owner()
    let shared = owner()
    let other = shared.promise.map(on: context) { $0 }
    outer.promise.cancel(reason: TestError(7))
    #expect(!outer.follow(inner.promise.map(on: context) { $0 }))
    #expect(!outer.follow(shared.promise))
    #expect(inner.promise.isCancelled)
    #expect(inner.promise.status == .failed(7))
    #expect(shared.promise.isPending)
    #expect(other.isPending)
  }

  @Test(
    "Following a promise after any other settlement leaves that promise alone", .rule("3.1"),
    arguments: OnCancelTests.Settling.allCases.filter { $0 != .ownerDropped })
  func followedAfterSettlement(_ settling: OnCancelTests.Settling) {
    let outer = owner()
    let inner = owner()
    settling.apply(to: outer)
    #expect(!outer.follow(inner.promise))
    #expect(!outer.follow(inner.promise.map(on: context) { $0 }))
    #expect(inner.promise.isPending)
    #expect(log.entries == [])
  }
}
