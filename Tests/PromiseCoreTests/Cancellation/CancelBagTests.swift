import TestSupport
import Testing

/// `bound(to:)` cancels promises when the object to which they are bound is deallocated.
@Suite("Promises bound to an object", .leavingNothing) struct CancelBagTests {
  private final class Screen: CancelBagOwner, Sendable { let cancelBag = CancelBag() }

  private let context = ManualContext()

  @Test("A bag cancels its promises in the order in which they were bound", .rule("4.5"))
  func order() {
    let bag = CancelBag()
    let log = Log<Int>()
    let owners = (0..<20).map { _ in Deferred<Int>() }
    for (number, owner) in owners.enumerated() {
      owner.onCancel { _ in log.append(number) }
      owner.promise.bound(to: bag)
    }
    // Optimised code would release the owners after the loop.
    withExtendedLifetime(owners) { bag.cancelAll() }
    #expect(log.entries == Array(0..<20))
  }

  @Test("A bag released by a hook of another bag runs its own hooks after that hook has returned", .rule("6.4"))
  func inTurn() {
    let log = Log<String>()
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    var (outer, inner): (Screen?, Screen?) = (Screen(), Screen())
    let held = Locked(inner)
    first.onCancel(on: .atOnce) { _ in
      log.append("begins")
      _ = held.withLock { $0.take() }
      log.append("ends")
    }
    second.onCancel(on: .atOnce) { _ in log.append("in turn") }
    if let outer, let inner {
      first.promise.bound(to: outer)
      second.promise.bound(to: inner)
    }
    inner = nil
    #expect(second.promise.isPending)
    outer = nil
    #expect(log.entries == ["begins", "ends", "in turn"])
    #expect(first.promise.isCancelled)
    #expect(second.promise.isCancelled)
  }

  @Test("A bag settles all its promises before the hooks run", .rule("4.3", "4.5"), arguments: [true, false])
  func allAtOnce(isReleased: Bool) {
    let pending = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    var screen: Screen? = Screen()
    for owner in owners {
      if let screen { #expect(owner.promise.bound(to: screen) === owner.promise) }
      owner.onCancel(on: .atOnce) { _ in pending.append(owners.count { $0.promise.isPending }) }
    }
    if !isReleased { screen?.cancelBag.cancelAll() }
    screen = nil
    #expect(pending.entries == [0, 0, 0])
    // The cancellation released the hooks. Otherwise hooks and owners would retain each other.
    #expect(areCancelled(owners.map(\.promise)))
  }

  @Test("A promise settled before the bag cancels keeps its value and leaves the bag", arguments: [true, false])
  func settledBefore(isBoundBefore: Bool) {
    let census = Tracked.Census()
    let screen = Screen()
    do {
      let deferred = Deferred<Tracked>()
      if isBoundBefore { deferred.promise.bound(to: screen) }
      deferred.fulfill(Tracked(census))
      if !isBoundBefore { deferred.promise.bound(to: screen) }
      screen.cancelBag.cancelAll()
      #expect(deferred.promise.isFulfilled)
    }
    #expect(census.living == 0)
    withExtendedLifetime(screen) {}
  }

  @Test("A binding does not keep a promise going that has no clients", .rule("4.0"))
  func keepsNothing() {
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
    let screen = Screen()
    deferred.promise.bound(to: screen)
    #expect(!deferred.fulfill(1))
    #expect(deferred.promise.isCancelled)
    withExtendedLifetime(screen) {}
  }

  @Test("cancelAll cancels with the error that it is given, and the bag may be used again", .rule("1.2"))
  func toldTo() {
    let bag = CancelBag()
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    first.promise.bound(to: bag)
    bag.cancelAll(reason: TestError(1))
    second.promise.bound(to: bag)
    #expect(throws: TestError(1)) { try first.promise.result?.get() }
    #expect(first.promise.isCancelled)
    #expect(second.promise.isPending)
    bag.cancelAll()
    #expect(second.promise.isCancelled)
  }

  @Test("An object that a handler of its bound promise retains is deallocated after the settlement", .rule("6.3"))
  func noLastingRing() {
    weak var weakScreen: Screen?
    do {
      let deferred = Deferred<Int>()
      let screen = Screen()
      weakScreen = screen
      deferred.promise.bound(to: screen).onFulfilled(on: context) { [screen] _ in withExtendedLifetime(screen) {} }
      deferred.fulfill(1)
    }
    context.runUntilIdle()
    #expect(weakScreen == nil)
  }

  @Test("A bag gives up work that no other consumer wants", .rule("4.4", "4.6"), arguments: [1, 3], [true, false])
  func givesUp(count: Int, isReleased: Bool) {
    for isShared in [true, false] {
      let work = StoppableWork()
      var screen: Screen? = Screen()
      let links = screen.map { screen in (0..<count).map { _ in link(link(work.promise)).bound(to: screen) } } ?? []
      let other = isShared ? link(work.promise) : nil
      if !isReleased { screen?.cancelBag.cancelAll() }
      screen = nil
      #expect(areCancelled(links), "shared: \(isShared)")
      #expect((isShared ? work.goesOn : work.isStopped), "shared: \(isShared)")
      withExtendedLifetime(other) {}
    }
  }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("A bag cancels a promise that its clients have released, while a link still waits for it", .rule("4.6"))
  func releasedByClients() {
    let bag = CancelBag()
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let link = link(owner.promise.bound(to: bag))
    bag.cancelAll()
    #expect(link.isCancelled)
    #expect(!owner.fulfill(1))
  }
}
