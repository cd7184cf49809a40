import TestSupport
import Testing

/// The promise of an owner made with `Deferred(cancelsWithoutClients: true)` is cancelled when its last client and its
/// last consumer have left.
@Suite("Owners whose promise is cancelled without clients", .leavingNothing) struct UnobservedTests {
  private let context = ManualContext()
  private let hooks = Log<String>()
  private let deferred = Deferred<Int>(cancelsWithoutClients: true)

  init() { logHooks(of: deferred) }

  private func logHooks(of deferred: Deferred<Int>) {
    deferred.onCancel(on: .atOnce) { [hooks] in hooks.append($0 is CancellationError ? "cancelled" : "wrong reason") }
  }

  @Test("All clients get the same promise, and the work is cancelled once when the last client releases it")
  func dropped() {
    var first: Promise<Int>? = deferred.promise
    var second: Promise<Int>? = deferred.promise
    #expect(first === second)
    first = nil
    #expect(second?.isPending == true)
    #expect(hooks.entries == [])
    second = nil
    #expect(hooks.entries == ["cancelled"])
    // A client that asks too late gets a cancelled promise.
    #expect(!deferred.fulfill(1))
    #expect(deferred.promise.isCancelled)
    #expect(deferred.promise === deferred.promise)
  }

  @Test("A promise that no client has requested is not cancelled, nor is the promise of an ordinary owner")
  func notAskedFor() {
    let ordinary = Deferred<Int>(cancelsWithoutClients: false)
    ordinary.onCancel { [hooks] _ in hooks.append("ordinary") }
    _ = ordinary.promise
    #expect(deferred.fulfill(1))
    #expect(ordinary.fulfill(1))
    #expect(hooks.entries == [])
  }

  @Test("The promise has its outcome when the settling call returns", .rule("1.3", "2.3"), arguments: [true, false])
  func settled(fulfils: Bool) {
    let promise = deferred.promise
    if fulfils { deferred.fulfill(1) } else { deferred.reject(TestError(1)) }
    #expect(promise.isFulfilled == fulfils)
    #expect(promise.isRejected == !fulfils)
    #expect(!promise.isCancelled)
    #expect(deferred.promise.isFulfilled == fulfils)
    #expect(hooks.entries == [])
  }

  @Test("An observer that has not run keeps the work going although no client holds the promise", .rule("6.1"))
  func observed() {
    let values = Log<Int>()
    deferred.promise.onFulfilled(on: context) { values.append($0) }
    #expect(hooks.entries == [])
    #expect(deferred.fulfill(7))
    context.runUntilIdle()
    #expect(values.entries == [7])
  }

  @Test("The work is cancelled when the last chain is cancelled and no client holds the promise", .rule("4.0"))
  func chained() {
    let first = deferred.promise.map(on: context) { $0 }
    let second = deferred.promise.map(on: context) { $0 }
    let held = Locked<Promise<Int>?>(deferred.promise)
    first.cancel()
    second.cancel()
    #expect(hooks.entries == [])
    held.withLock { $0.take() }.map { _ in }
    #expect(hooks.entries == ["cancelled"])
  }

  @Test("A client that cancels the promise cancels the work and the derived promises")
  func cancelledByClient() {
    let promise = deferred.promise
    let derived = promise.recover(on: context) { _ in 0 }
    promise.cancel()
    #expect(promise.isCancelled)
    #expect(derived.isCancelled)
    #expect(!deferred.fulfill(1))
    context.runUntilIdle()
    #expect(derived.isCancelled)
    #expect(hooks.entries == ["cancelled"])
    #expect(promise.parent == nil)
  }

  @Test("A cancel of the promise that an owner follows is an ordinary rejection for its links", .rule("3.1", "4.0"))
  func cancelledFromAbove() {
    let source = Deferred<Int>()
    deferred.follow(source.promise)
    let promise = deferred.promise
    let derived = promise.recover(on: context) { _ in 0 }
    source.promise.cancel()
    context.runUntilIdle()
    #expect(promise.isCancelled)
    #expect(derived.isFulfilled)
    #expect(hooks.entries == [])
  }

  @Test("An owner that is deallocated rejects its promise as broken and runs no hook", .rule("6.2"))
  func ownerGoes() {
    var deferred: Deferred<Int>? = Deferred(cancelsWithoutClients: true)
    let line: UInt = #line - 1
    let promise = deferred?.promise
    deferred.map(logHooks)
    deferred = nil
    #expect(promise?.status == .rejected(.broken(line)))
    #expect(hooks.entries == [])
    #expect(promise?.error.map { "\($0)".contains("UnobservedTests.swift") } == true)
  }

  @Test("An owner that follows its own promise rejects it with a cycle error", .rule("3.2"))
  func ring() {
    let promise = deferred.promise
    deferred.follow(promise)
    #expect(promise.failure?.code == .cycle)
  }

  @Test("A settled promise releases its hook, handlers and later its value", .rule("6.3"), arguments: [true, false])
  func released(cancels: Bool) {
    let census = Tracked.Census()
    weak var weakPromise: Promise<Tracked>?
    do {
      let deferred = Deferred<Tracked>(cancelsWithoutClients: true)
      deferred.onCancel { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
      let promise = deferred.promise
      weakPromise = promise
      promise.onFulfilled(on: context) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
      if cancels { promise.cancel() } else { deferred.fulfill(Tracked(census)) }
      context.runUntilIdle()
      #expect(census.living == (cancels ? 0 : 1))
      withExtendedLifetime(promise) {}
    }
    #expect(census.living == 0)
    #expect(weakPromise == nil)
  }

  @Test("A later client, even one that reads `parent`, keeps the work going", .rule("6.3"), arguments: [false, true])
  func laterClient(readsParent: Bool) {
    let chain = deferred.promise.map(on: context) { $0 }
    var later: AnyPromise? = readsParent ? chain.parent : deferred.promise
    #expect(later === deferred.promise)
    chain.cancel()
    #expect(hooks.entries == [])
    #expect(later?.isPending == true)
    later = nil
    #expect(hooks.entries == ["cancelled"])
  }

  @Test("A promise that a handler returns has its consumer before the handler's reference is released")
  func returned() {
    let derived = Promise.fulfilled(1).then(on: context) { _ in deferred.promise }
    context.runUntilIdle()
    #expect(hooks.entries == [])
    #expect(derived.isPending)
    derived.cancel()
    #expect(hooks.entries == ["cancelled"])
  }

  @Test("A long line of owners that each release the next promise is cancelled without recursion", .rule("6.4"), .slow)
  func deep() {
    let cancelled = Log<Int>()
    var last = Deferred<Int>(cancelsWithoutClients: true)
    var first: Promise<Int>? = last.promise
    last.onCancel(on: .atOnce) { _ in cancelled.append(0) }
    for _ in 0..<100_000 {
      let next = Deferred<Int>(cancelsWithoutClients: true)
      next.onCancel(on: .atOnce) { [promise = first, last] _ in withExtendedLifetime((promise, last)) {} }
      first = next.promise
      last = next
    }
    first = nil
    #expect(cancelled.entries == [0])
    withExtendedLifetime(last) {}
  }

  @Test("An owner without clients gives up a followed promise", .rule("4.4", "4.6"), arguments: [true, false], [0, 2])
  func following(isShared: Bool, length: Int) {
    let work = StoppableWork()
    let other = isShared ? work.promise.map(on: context) { $0 } : nil
    var promise: Promise<Int>? = deferred.promise
    deferred.follow((0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } })
    #expect(promise?.isPending == true)
    #expect(work.goesOn)
    promise = nil
    #expect(hooks.entries == ["cancelled"])
    #expect(isShared ? work.goesOn : work.isStopped)
    withExtendedLifetime(other) {}
  }

  @Test("A client that asks for the promise before its release takes effect keeps the work going", .rule("4.6"))
  func askedBeforeEffect() {
    let held = Locked<Promise<Int>?>(deferred.promise)
    let later = Log<Promise<Int>>()
    let end = AtEnd { [deferred] in
      _ = held.withLock { $0.take() }
      later.append(deferred.promise)
    }
    var owner: Deferred<Int>? = Deferred()
    owner?.promise.onFulfilled(on: context) { [end = consume end] _ in withExtendedLifetime(end) {} }
    // Releases made inside this one take effect after it.
    owner = nil
    #expect(later.entries.map(\.isPending) == [true])
    #expect(hooks.entries == [])
  }
}
