import TestSupport
import Testing

@Suite("Handlers that a cancellation takes back", .leavingNothing) struct TakenBackTests {
  let context = ManualContext()

  /// A call that cancels a promise, or one above it.
  enum Call: CaseIterable, Sendable { case byName, upstream, above, bag, releasedBag }

  private struct Scene {
    let deferred = Deferred<Int>()
    let promise: Promise<Int>
    var bag: CancelBag? = CancelBag()

    init() {
      promise = deferred.promise.map(on: CallingContext {}) { $0 }
      if let bag { promise.bound(to: bag) }
    }

    mutating func carryOut(_ call: Call) {
      switch call {
      case .byName: promise.cancel()
      case .upstream: promise.cancel(upstream: true)
      case .above: deferred.promise.cancel()
      case .bag: bag?.cancelAll()
      case .releasedBag: bag = nil
      }
    }
  }

  @Test(
    "A queued onFulfilled never runs after the cancellation, and is released before that returns", .rule("2.5", "4.3"),
    arguments: Call.allCases)
  func fulfilled(_ call: Call) {
    var scene = Scene()
    let census = Tracked.Census()
    let log = Log<Int>()
    scene.promise.onFulfilled(on: context) { [payload = Tracked(census)] value in
      withExtendedLifetime(payload) { log.append(value) }
    }
    scene.deferred.fulfill(1)
    #expect(scene.promise.status == .fulfilled(1))
    #expect(census.living == 1)
    scene.carryOut(call)
    #expect(census.living == 0)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(scene.promise.status == .fulfilled(1))
  }

  @Test(
    "A queued onFailed and a queued catchFailure never run after the cancellation", .rule("2.5"),
    arguments: Call.allCases)
  func failed(_ call: Call) {
    var scene = Scene()
    let log = Log<Int>()
    scene.promise.onFailed(on: context) { _ in log.append(1) }
    let below = scene.promise.catchFailure(on: context) { _ in log.append(2) }
    scene.deferred.reject(TestError(1))
    scene.carryOut(call)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(below.isCancelled)
    #expect(scene.promise.status == .failed(1))
  }

  @Test("Handlers that must run still run once after the cancellation", .rule("2.5"), arguments: Call.allCases)
  func others(_ call: Call) {
    var scene = Scene()
    let log = Log<String>()
    scene.promise.onSettled(on: context) { _ in log.append("onSettled") }
    scene.promise.onRejected(on: context) { _ in log.append("onRejected") }
    scene.promise.catch(on: context) { _ in log.append("catch") }
    scene.promise.always(on: context) { _ in log.append("always") }
    scene.deferred.reject(TestError(1))
    scene.carryOut(call)
    context.runUntilIdle()
    #expect(Set(log.entries) == ["onSettled", "onRejected", "catch", "always"])
    #expect(log.entries.count == 4)
  }

  @Test("A handler that has started is not taken back, and one that is attached afterwards runs", .rule("2.5", "4.3"))
  func startedOrLater() {
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    let promise = deferred.promise
    promise.onFulfilled(on: context) { _ in
      promise.cancel()
      log.append(1)
    }
    promise.onFulfilled(on: context) { _ in log.append(2) }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == [1])
    promise.onFulfilled(on: context) { _ in log.append(3) }
    promise.onFailed(on: context) { _ in log.append(4) }
    context.runUntilIdle()
    #expect(log.entries == [1, 3])
  }

  @Test(
    "Observers of a pending promise that is cancelled are released before the cancellation returns", .rule("2.5", "4.9")
  )
  func pending() {
    let census = Tracked.Census()
    let deferred = Deferred<Int>()
    deferred.promise.onFulfilled(on: context) { [payload = Tracked(census)] _ in withExtendedLifetime(payload) {} }
    deferred.promise.onFailed(on: context) { [payload = Tracked(census)] _ in withExtendedLifetime(payload) {} }
    deferred.promise.cancel()
    #expect(census.living == 0)
  }

  @Test("An observer that waits for the settling thread is taken back", .rule("2.2", "2.5"))
  func attachedWhileFiring() {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    let log = Log<Int>()
    // Runs inside the call that settles the promise, before that call fires what is attached meanwhile.
    promise.onFulfilled(
      on: CallingContext {
        promise.onFulfilled(on: context) { _ in log.append(1) }
        promise.cancel()
      }
    ) { _ in }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
  }

  @Test("A rejection whose onFailed is taken back counts as handled", .rule("7.1"))
  func handledByObserver() {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>()
      deferred.promise.onFailed(on: context) { _ in }
      deferred.reject(TestError(1))
      deferred.promise.cancel()
      context.runUntilIdle()
    }
    #expect(reports.isEmpty)
  }

  @Test(
    "A rejection that comes after a plain cancel of its catchFailure counts as handled", .rule("7.1"),
    arguments: [false, true])
  func handledByCancelled(isRejectedBefore: Bool) {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>()
      let below = deferred.promise.catchFailure(on: context) { _ in }
      if isRejectedBefore { deferred.reject(TestError(1)) }
      below.cancel()
      if !isRejectedBefore { deferred.reject(TestError(1)) }
      context.runUntilIdle()
    }
    #expect(reports.isEmpty)
  }

  @Test("A rejection that comes after a plain cancel of its catchFailure(only:) is reported", .rule("7.1"))
  func rejectedAfterCancelOfTyped() {
    expectUnhandled([Unhandled(7, line: 1)]) {
      let deferred = Deferred<Int>(line: 1)
      deferred.promise.catchFailure(only: TestError.self, on: context) { _ in }.cancel()
      deferred.reject(TestError(7))
      context.runUntilIdle()
    }
  }

  @Test("Another consumer of a promise keeps its duty when a catchFailure is cancelled", .rule("7.1"))
  func otherDuty() {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>()
      let below = deferred.promise.catchFailure(on: context) { _ in }
      _ = deferred.promise.map(on: context) { $0 }
      below.cancel()
      deferred.reject(TestError(1))
      context.runUntilIdle()
    }
    #expect(reports.count == 1)
  }

  @Test(
    "Progress that is queued is not shown after the cancellation", .rule("2.5", "5.2"), arguments: Call.allCases,
    [nil, Settlement.value, .error])
  func progress(_ call: Call, settlement: Settlement?) {
    var scene = Scene()
    let log = Log<Double>()
    let census = Tracked.Census()
    scene.promise.onProgress(on: context) { [payload = Tracked(census)] value in
      withExtendedLifetime(payload) { log.append(value) }
    }
    scene.deferred.report(progress: 0.5)
    if let settlement { scene.deferred.settle(settlement.result) }
    scene.carryOut(call)
    #expect(census.living == 0)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
  }

  @Test(
    "Progress is not shown after the cancellation on a context where handlers overlap", .rule("2.5", "5.5"),
    arguments: Call.allCases, [Settlement.value, .error])
  func overlappingProgress(_ call: Call, settlement: Settlement) {
    let scene = Locked(Scene())
    let (deferred, promise) = scene.withLock { ($0.deferred, $0.promise) }
    let log = Log<Double>()
    promise.onProgress(on: context) { value in
      log.append(value)
      if log.entries.count > 1 { return }
      deferred.report(progress: 0.5)
      deferred.settle(settlement.result)
      // This step stands for another thread of the same context.
      context.step()
      scene.withLock { $0.carryOut(call) }
    }
    deferred.report(progress: 0.25)
    context.runUntilIdle()
    #expect(log.entries == [0.25])
  }

  @Test("Each of several bags takes a queued observer back", .rule("2.5", "4.6"), arguments: 0..<3)
  func severalBags(_ index: Int) {
    let bags = (0..<3).map { _ in CancelBag() }
    let deferred = Deferred<Int>()
    let log = Log<Int>()
    for bag in bags { deferred.promise.bound(to: bag) }
    deferred.promise.onFulfilled(on: context) { log.append($0) }
    deferred.fulfill(1)
    bags[index].cancelAll()
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(bags.allSatisfy { $0.debugDescription == "CancelBag, 0 pending" })
  }

  @Test("A bag does not keep a promise whose observers have run", .rule("4.9"))
  func bagShrinks() {
    let bag = CancelBag()
    let deferred = Deferred<Int>()
    deferred.promise.bound(to: bag).onFulfilled(on: context) { _ in }
    deferred.fulfill(1)
    #expect(bag.debugDescription.hasPrefix("CancelBag, 1 "))
    context.runUntilIdle()
    #expect(bag.debugDescription == "CancelBag, 0 pending")
  }
}
