import PromiseCombinators
import TestSupport
import Testing

@Suite("Nested uses of resources", .leavingNothing, .rule("2.10")) struct NestedUsingTests: NestedSceneTests {
  let scene = NestedScene()

  @Test(
    "In each phase of a cancelled use, the inner release ends before the outer one begins",
    arguments: NestedScene.Phase.allCases, CancelForm.allCases)
  func phases(_ phase: NestedScene.Phase, _ form: CancelForm) {
    let result = world.start { outer.use { inner.use { work.promise } } }
    scene.proceed(to: phase)
    form.apply(to: result)
    #expect(result.isCancelled)
    scene.runToTheEnd(result)
    #expect(log.entries == phase.expected)
  }

  /// The event that ends the use.
  enum Event: CaseIterable, Sendable {
    case linkBelow, work, innerUse, limitOfWork, limitInside, limitOutside, bothLimits

    var limitsInnerUse: Bool { self == .limitInside || self == .bothLimits }
    var limitsOuterUse: Bool { self == .limitOutside || self == .bothLimits }
  }

  @Test(
    "The inner release ends before the outer one begins, whatever ends the use", .rule("4.6"),
    arguments: Event.allCases)
  func events(_ event: Event) {
    let uses = Log<Promise<Int>>()
    let result = world.start {
      let used = outer.use {
        let use = inner.use { event == .limitOfWork ? work.promise.timeout(.seconds(1)) : work.promise }
        uses.append(use)
        return event.limitsInnerUse ? use.timeout(.seconds(1)) : use
      }
      return event.limitsOuterUse ? used.timeout(.seconds(1)) : used.map { $0 }
    }
    scene.acquire()
    switch event {
    case .linkBelow: result.cancel(upstream: true)
    case .work: work.promise.cancel()
    case .innerUse: uses.entries.first?.cancel(upstream: true)
    case .limitOfWork, .limitInside, .limitOutside, .bothLimits: world.advance(by: .seconds(1))
    }
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.stoppedOrder)
  }

  @Test(
    "A failed sibling of the inner use gives it up, and the outer release waits for it", .rule("4.8"),
    arguments: [false, true])
  func failedSibling(isAcquired: Bool) {
    let failing = Deferred<Int>()
    let result = world.start {
      outer.use {
        let use = inner.use { work.promise }
        let both: Promise<[Int]> = .all([use, failing.promise], onRejection: .cancelRemaining)
        return both.map { $0[0] }
      }
    }
    scene.acquire(inner: isAcquired)
    failing.reject(TestError(1))
    scene.runToTheEnd(result)
    #expect(log.entries == (isAcquired ? NestedScene.stoppedOrder : NestedScene.order))
    #expect(result.failure == .test(1))
  }

  @Test("An inner acquisition that fails after the cancellation lets the outer release begin")
  func failedAcquisition() {
    let result = world.start { outer.use { inner.use { work.promise } } }
    scene.acquire(inner: false)
    world.runUntilIdle(after: result.cancel(upstream: true))
    #expect(log.entries == ["acquire outer", "acquire inner"])
    world.runUntilIdle(after: inner.entering.reject(TestError(1)))
    #expect(log.entries == ["acquire outer", "acquire inner", "release outer"])
    scene.runToTheEnd(result)
  }

  @Test("A release waits for a cleanup inside the use", arguments: CancelForm.allCases, [false, true])
  func cleanupInside(_ form: CancelForm, isAsync: Bool) {
    let result = world.start {
      outer.use {
        if isAsync { return work.promise.asyncAlways { _ in try await inner.release().value } }
        return work.promise.alwaysThen { _ in inner.release() }
      }
    }
    scene.acquire(inner: false)
    form.apply(to: result)
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.stoppedOrder.filter { $0 != "acquire inner" })
  }

  @Test("A release waits for the Task whose promise the closure has returned", arguments: CancelForm.allCases)
  func taskInside(_ form: CancelForm) {
    let body = StubbornBody()
    let result = world.start { outer.use { Promise.task { await body() } } }
    scene.acquire(inner: false)
    world.runUntilIdle(after: form.apply(to: result))
    #expect(log.entries == ["acquire outer"])
    world.runUntilIdle(after: body.end())
    #expect(log.entries == ["acquire outer", "release outer"])
    scene.runToTheEnd(result)
  }

  @Test("A release waits for the uses that limits of earlier attempts have ended, even if the last one has a value")
  func attempts() {
    let resources = [inner, NestedResource("second", log)]
    let last = Deferred<Int>()
    @Sendable func attempt(_ number: Int) -> Promise<Int> {
      guard number < resources.count else { return last.promise }
      let use = resources[number].use { Promise.after(.seconds(100), fulfill: 0) }
      return use.timeout(.seconds(1)).rescue { _ in attempt(number + 1) }
    }
    let result = world.start { outer.use { attempt(0) } }
    outer.entering.fulfill()
    for resource in resources {
      world.runUntilIdle()
      resource.entering.fulfill()
      world.advance(by: .seconds(1))
    }
    world.runUntilIdle(after: last.fulfill(5))
    #expect(!log.entries.contains("release outer"))
    world.runUntilIdle(after: resources[1].endPhase())
    #expect(log.entries.last == "second released")
    scene.runToTheEnd(result)
    #expect(log.entries.suffix(3) == ["inner released", "release outer", "outer released"])
    #expect(result.state.value == 5)
  }

  @Test(
    "A release does not wait for work that a plain cancel of a link has left, or that another consumer keeps",
    .rule("4.4"), arguments: [false, true])
  func leftWork(isKept: Bool) {
    let links = Log<Promise<Int>>()
    let result = world.start {
      outer.use {
        if isKept { work.promise.catch { _ in } }
        let link = work.promise.map { $0 }
        links.append(link)
        return link
      }
    }
    scene.acquire(inner: false)
    if isKept { result.cancel(upstream: true) } else { links.entries.first?.cancel() }
    world.runUntilIdle()
    #expect(work.promise.isPending)
    #expect(log.entries == ["acquire outer", "release outer"])
    scene.runToTheEnd(result)
  }
}
