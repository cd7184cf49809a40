import PromiseCombinators
import TestSupport
import Testing

@Suite("Uses of two resources", .leavingNothing, .rule("2.10")) struct TwoResourcesTests: NestedSceneTests {
  let scene = NestedScene()

  /// The operator and the kind of the resources' closures.
  enum Way: CaseIterable, Sendable {
    case using, usingAsyncResources, asyncUsing, asyncUsingAsyncResources

    var closures: NestedResource.Closures {
      switch self {
      case .using, .asyncUsing: .promises
      case .usingAsyncResources, .asyncUsingAsyncResources: .async
      }
    }

    var isAsync: Bool {
      switch self {
      case .using, .usingAsyncResources: false
      case .asyncUsing, .asyncUsingAsyncResources: true
      }
    }
  }

  /// Begins a use in the running world.
  private func use(_ way: Way) -> Promise<Int> {
    let outer = outer.resource(way.closures)
    let inner = inner.resource(way.closures)
    let work = work.promise
    guard way.isAsync else { return Promise<Int>.using(outer, inner) { _, _ in work } }
    return Promise<Int>.asyncUsing(outer, inner) { _, _ in try await work.value(cancelsSource: true) }
  }

  @Test("Two resources are acquired in order, and released in reverse order after the use", arguments: Way.allCases)
  func order(_ way: Way) {
    let result = world.start { use(way) }
    scene.acquire()
    world.runUntilIdle(after: work.fulfill(1))
    #expect(log.entries == ["acquire outer", "acquire inner", "release inner"])
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.order)
    #expect(outer.outcomes.entries == ["a value"])
    #expect(inner.outcomes.entries == ["a value"])
    #expect(result.state.value == 1)
  }

  /// Cancels the result in a phase.
  private func cancel(
    in phase: NestedScene.Phase, _ way: Way, _ cancel: (_ result: Promise<Int>) -> Void
  ) -> Promise<Int> {
    let result = world.start { use(way) }
    scene.proceed(to: phase)
    cancel(result)
    #expect(result.isCancelled)
    scene.runToTheEnd(result)
    #expect(log.entries == phase.expected)
    return result
  }

  /// The outcomes that the releases get if the use is given up in a phase.
  private func expectOutcomes(_ reason: String, in phase: NestedScene.Phase) {
    switch phase {
    case .outerAcquisition:
      #expect(inner.outcomes.entries.isEmpty)
      #expect(outer.outcomes.entries == [reason])
    case .innerAcquisition, .use:
      #expect(inner.outcomes.entries == [reason])
      #expect(outer.outcomes.entries == [reason])
    case .innerRelease:
      #expect(inner.outcomes.entries == ["a value"])
      #expect(outer.outcomes.entries == [reason])
    case .outerRelease:
      #expect(inner.outcomes.entries == ["a value"])
      #expect(outer.outcomes.entries == ["a value"])
    }
  }

  @Test(
    "In each phase of a cancelled use, each resource that is acquired is released once, the inner one first",
    arguments: NestedScene.Phase.allCases, Way.allCases)
  func phases(_ phase: NestedScene.Phase, _ way: Way) {
    _ = cancel(in: phase, way) { $0.cancel(upstream: true) }
    expectOutcomes("cancelled", in: phase)
  }

  @Test("Both releases get the reason of the cancellation", arguments: NestedScene.Phase.allCases)
  func reason(_ phase: NestedScene.Phase) {
    _ = cancel(in: phase, .using) { $0.cancel(reason: TestError(9)) }
    expectOutcomes("error 9", in: phase)
  }

  @Test("Both releases get the error of a limit, or see the cancellation of the Task", arguments: Way.allCases)
  func limit(_ way: Way) {
    let result = world.start { use(way).timeout(.seconds(1)) }
    scene.acquire()
    world.advance(by: .seconds(1))
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.stoppedOrder)
    let outcome = way.isAsync ? "cancelled" : "PromiseError.timedOut"
    #expect(inner.outcomes.entries == [outcome])
    #expect(outer.outcomes.entries == [outcome])
  }

  @Test("A failed sibling gives the use up", .rule("4.8"), arguments: Way.allCases, [false, true])
  func failedSibling(_ way: Way, isAcquired: Bool) {
    let failing = Deferred<Int>()
    let result: Promise<Int> = world.start {
      let both: Promise<[Int]> = .all([use(way), failing.promise], onRejection: .cancelRemaining)
      return both.map { $0[0] }
    }
    scene.acquire(inner: isAcquired)
    failing.reject(TestError(1))
    scene.runToTheEnd(result)
    #expect(log.entries == (isAcquired ? NestedScene.stoppedOrder : NestedScene.order))
    #expect(inner.outcomes.entries == ["cancelled"])
    #expect(outer.outcomes.entries == ["cancelled"])
  }

  @Test("If the second acquisition fails, the first resource is released with that error", arguments: Way.allCases)
  func failedAcquisition(_ way: Way) {
    let result = world.start { use(way) }
    scene.acquire(inner: false)
    world.runUntilIdle(after: inner.entering.reject(TestError(1)))
    #expect(log.entries == ["acquire outer", "acquire inner", "release outer"])
    scene.runToTheEnd(result)
    #expect(outer.outcomes.entries == ["error 1"])
    #expect(inner.outcomes.entries.isEmpty)
    #expect(result.failure == .test(1))
  }

  @Test("If the first acquisition fails, nothing else is acquired", arguments: Way.allCases)
  func failedFirstAcquisition(_ way: Way) {
    let result = world.start { use(way) }
    world.runUntilIdle(after: outer.entering.reject(TestError(1)))
    #expect(log.entries == ["acquire outer"])
    #expect(outer.outcomes.entries.isEmpty)
    #expect(result.failure == .test(1))
  }

  @Test("The earlier release gets the error of a later release that failed after a value", arguments: Way.allCases)
  func failedRelease(_ way: Way) {
    let result = world.start { use(way) }
    scene.acquire()
    world.runUntilIdle(after: work.fulfill(1))
    world.runUntilIdle(after: inner.failRelease(with: 2))
    #expect(inner.outcomes.entries == ["a value"])
    #expect(outer.outcomes.entries == ["error 2"])
    scene.runToTheEnd(result)
    #expect(result.failure == .test(2))
  }

  @Test("The error of a later release does not hide that of the use", .rule("7.1"), arguments: Way.allCases)
  func failedReleaseAfterError(_ way: Way) {
    let result = world.start { use(way) }
    scene.acquire()
    world.runUntilIdle(after: work.reject(TestError(1)))
    world.runUntilIdle(after: inner.failRelease(with: 2))
    #expect(inner.outcomes.entries == ["error 1"])
    #expect(outer.outcomes.entries == ["error 1"])
    scene.runToTheEnd(result)
    #expect(result.failure == .test(1))
    #expect(world.takeUnhandled() == [2])
  }

  /// The job that a context drops.
  enum Job: CaseIterable, Sendable { case innerAcquisition, use, innerRelease }

  @Test("If a context drops a job, the resources that are acquired are released", .rule("6.2"), arguments: Job.allCases)
  func droppedJob(_ job: Job) {
    let contexts = (outer: ManualContext(), inner: ManualContext(), body: ManualContext())
    func resource(_ resource: NestedResource, on context: ManualContext) -> Resource<Void> {
      Resource(
        resource.acquire,
        release: { _, outcome in
          resource.outcomes.append(outcome.words)
          return resource.release()
        }, on: context)
    }
    let result = Promise<Int>.using(
      resource(outer, on: contexts.outer), resource(inner, on: contexts.inner), on: contexts.body
    ) { [work] _, _ in work.promise }
    func run() {
      for _ in 0..<3 {
        contexts.outer.runUntilIdle()
        contexts.inner.runUntilIdle()
        contexts.body.runUntilIdle()
      }
    }
    contexts.outer.runUntilIdle()
    outer.entering.fulfill()
    if job == .innerAcquisition { contexts.inner.dropAll() }
    contexts.inner.runUntilIdle()
    if job != .innerAcquisition { inner.entering.fulfill() }
    if job == .use { contexts.body.dropAll() }
    run()
    if job == .innerRelease {
      work.fulfill(1)
      contexts.inner.dropAll()
    }
    run()
    let innerOutcomes = job == .use ? ["PromiseError.contextDropped"] : []
    #expect(inner.outcomes.entries == innerOutcomes)
    while inner.endPhase() { run() }
    #expect(outer.outcomes.entries == ["PromiseError.contextDropped"])
    while outer.endPhase() { run() }
    #expect(result.failure?.code == .contextDropped)
    #expect(result.isFinished)
  }

  @Test("A use of one resource acquires and releases it, and another use does so again", arguments: Way.allCases)
  func oneResource(_ way: Way) {
    let log = Log<String>()
    let resource =
      switch way.closures {
      case .promises:
        Resource(
          { log.append("acquire", returning: Promise.fulfilled(7)) },
          release: { log.append("release \($0)", returning: Promise.fulfilled(())) })
      case .async:
        Resource(async: { log.append("acquire", returning: 7) }, release: { log.append("release \($0)") })
      }
    for _ in 0..<2 {
      let result = world.start {
        way.isAsync
          ? Promise.asyncUsing(resource) { $0 + 1 }
          : Promise.using(resource) { .fulfilled($0 + 1) }
      }
      #expect(result.state.value == 8)
    }
    #expect(log.entries == ["acquire", "release 7", "acquire", "release 7"])
  }

  @Test("On the main actor, a use of resources calls its closures there")
  func onMain() {
    let state = MainActorState()
    let resource = Resource(
      { state.note("acquire", returning: Promise.fulfilled(7)) },
      release: { number in state.note("release \(number)", returning: Promise.fulfilled(())) }, on: .main)
    let other = Resource(
      { state.note("acquire other", returning: Promise.fulfilled(1)) },
      release: { _, outcome in state.note("release other: \(outcome.words)", returning: Promise.fulfilled(())) },
      on: .main)
    let one = world.start {
      Promise.using(resource, on: .main) { number in state.note("use", returning: .fulfilled(number + 1)) }
    }
    let two = world.start {
      Promise.using(resource, other, on: .main) { first, second in
        state.note("use both", returning: .fulfilled(first + second))
      }
    }
    #expect(one.state.value == 8)
    #expect(two.state.value == 8)
    let first = ["acquire", "use", "release 7"]
    let second = ["acquire", "acquire other", "use both", "release other: a value", "release 7"]
    #expect(state.notes(in: world) == first + second)
  }
}

@Suite("Uses of two resources in many orders", .rule("2.10")) struct TwoResourcesOrderTests {
  @Test(
    "In every order of events, each resource is released once, the inner one first, with the right outcome",
    arguments: [nil] + CancelForm.allCases.map(Optional.some), TwoResourcesTests.Way.allCases)
  func explored(_ form: CancelForm?, _ way: TwoResourcesTests.Way) throws {
    try TestWorld.explore(schedules: 100, seed: 1) { world in
      let log = Log<String>()
      let work = Deferred<Int>()
      @Sendable func resource(_ name: String) -> Resource<Int> {
        switch way.closures {
        case .promises:
          Resource(
            { Promise.run { log.append("\(name) acquired", returning: 7) } },
            release: { _, outcome in
              log.append("release \(name): \(outcome.words)")
              return Promise.run { log.append("\(name) released") }
            })
        case .async:
          Resource(
            async: { try await Promise.run { log.append("\(name) acquired", returning: 7) }.value },
            release: { _, outcome in
              log.append("release \(name): \(outcome.words)")
              try await Promise.run { log.append("\(name) released") }.value
            })
        }
      }
      let result =
        way.isAsync
        ? Promise<Int>.asyncUsing(resource("outer"), resource("inner")) { _, _ in
          try await work.promise.value(cancelsSource: true)
        }
        : Promise<Int>.using(resource("outer"), resource("inner")) { _, _ in work.promise }
      world.sometime("done") { if work.promise.isPending { work.fulfill(1) } }
      if let form { world.sometime("gives up") { form.apply(to: result) } }
      world.runUntilIdle()
      let entries = log.entries
      world.expectNestedReleases(in: entries)
      let outcomes = ["release outer: a value", "release inner: a value"]
      if !result.isCancelled { world.expect(outcomes.allSatisfy(entries.contains), "\(entries)") }
      if work.promise.isCancelled { world.expect(!outcomes.contains(where: entries.contains), "\(entries)") }
      world.expect(result.isFinished, "the result has finished")
      if !result.isCancelled { world.expect(result.state.value == 1, "the result has the value") }
    }
  }
}
