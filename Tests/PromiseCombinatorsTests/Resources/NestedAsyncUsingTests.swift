import PromiseCombinators
import TestSupport
import Testing

@Suite("Nested uses of resources by async closures", .leavingNothing, .rule("2.10"))
struct NestedAsyncUsingTests: NestedSceneTests {
  let scene = NestedScene()

  /// The event that ends the use.
  enum Event: CaseIterable, Sendable { case cancel, cancelUpstream, innerUse, limitInside, limitOutside }

  @Test(
    "The inner release ends before the outer one begins if the outer closure waits with cancelsSource", .rule("4.7"),
    arguments: Event.allCases, [false, true])
  func nested(_ event: Event, isInnerAcquired: Bool) {
    let uses = Log<Promise<Int>>()
    let result = world.start {
      let used = outer.asyncUse {
        let use = inner.asyncUse {
          try await Promise<Int>.after(.seconds(100), fulfill: 1).value(cancelsSource: true)
        }
        uses.append(use)
        let limited = event == .limitInside ? use.timeout(.seconds(1)) : use
        return try await limited.value(cancelsSource: true)
      }
      return event == .limitOutside ? used.timeout(.seconds(1)) : used
    }
    scene.acquire(inner: isInnerAcquired)
    switch event {
    case .cancel: result.cancel()
    case .cancelUpstream: result.cancel(upstream: true)
    case .innerUse: uses.entries.first?.cancel(upstream: true)
    case .limitInside, .limitOutside: world.advance(by: .seconds(1))
    }
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.order)
  }

  @Test("A Task inside asyncUsing that ignores its cancellation delays the release", arguments: CancelForm.allCases)
  func stubbornTask(_ form: CancelForm) {
    let body = StubbornBody()
    let result = world.start {
      outer.asyncUse {
        let task = Promise.task { await body() }
        return try await task.value(cancelsSource: true)
      }
    }
    scene.acquire(inner: false)
    world.runUntilIdle(after: form.apply(to: result))
    #expect(result.isCancelled)
    #expect(log.entries == ["acquire outer"])
    world.runUntilIdle(after: body.end())
    #expect(log.entries == ["acquire outer", "release outer"])
    scene.runToTheEnd(result)
  }

  @Test("A use of asyncUsing inside one of using is released first", arguments: CancelForm.allCases)
  func mixed(_ form: CancelForm) {
    let result = world.start {
      outer.use {
        inner.asyncUse { try await Promise<Int>.after(.seconds(100), fulfill: 1).value(cancelsSource: true) }
      }
    }
    scene.acquire()
    form.apply(to: result)
    scene.runToTheEnd(result)
    #expect(log.entries == NestedScene.order)
  }
}

@Suite("Nested uses of resources in many orders", .rule("2.10")) struct NestedUsingOrderTests {
  @Test(
    "In every order of events, each resource is released once, the inner one first",
    arguments: [nil] + CancelForm.allCases.map(Optional.some))
  func explored(_ form: CancelForm?) throws {
    try TestWorld.explore(schedules: 300, seed: 1) { world in
      let log = Log<String>()
      let work = Deferred<Int>()
      @Sendable func use(_ name: String, _ body: @escaping @Sendable () -> Promise<Int>) -> Promise<Int> {
        Promise<Int>.using(
          { Promise.run { log.append("\(name) acquired") } },
          release: { _ in
            log.append("release \(name)")
            return Promise.run { log.append("\(name) released") }
          },
          { _ in body() })
      }
      let result = use("outer") { use("inner") { work.promise } }
      world.sometime("done") { if work.promise.isPending { work.fulfill(1) } }
      if let form { world.sometime("gives up") { form.apply(to: result) } }
      world.runUntilIdle()
      world.expectNestedReleases(in: log.entries)
      world.expect(result.isFinished, "the result has finished")
      if !result.isCancelled { world.expect(result.state.value == 1, "the result has the value") }
    }
  }
}
