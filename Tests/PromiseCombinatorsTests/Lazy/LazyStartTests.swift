import PromiseCombinators
import TestSupport
import Testing

/// A way to make a lazy promise of a number from a closure that begins the work.
struct LazyWay: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Makes the lazy promise from a context and a closure that returns the number or throws.
  let make: @Sendable (any ExecutionContext, @escaping @Sendable () throws -> Int) -> LazyPromise<Int>

  static let all = [
    LazyWay(testDescription: "owner") { context, body in
      LazyPromise(on: context) { deferred in deferred.fulfill(try body()) }
    },
    LazyWay(testDescription: "run") { LazyPromise.run(on: $0, $1) },
    LazyWay(testDescription: "adopting") { context, body in
      LazyPromise.adopting(on: context) { .fulfilled(try body()) }
    },
    LazyWay(testDescription: "derived") { context, body in
      LazyPromise.run(on: context) { 0 }.map(on: context) { _ in try body() }
    },
    LazyWay(testDescription: "derived by hand") { context, body in
      LazyPromise.run(on: context) { 0 }.derive { $0.map(on: context) { _ in try body() } }
    },
  ]
}

/// A call that starts a lazy promise.
struct Starter: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let start: @Sendable (LazyPromise<Int>, any ExecutionContext) -> Void

  static let all = [
    Starter(testDescription: "start()") { lazy, _ in lazy.start() },
    Starter(testDescription: "promise") { lazy, _ in _ = lazy.promise },
    Starter(testDescription: "onFulfilled") { lazy, context in lazy.onFulfilled(on: context) { _ in } },
    Starter(testDescription: "onRejected") { lazy, context in lazy.onRejected(on: context) { _ in } },
    Starter(testDescription: "onProgress") { lazy, context in lazy.onProgress(on: context) { _ in } },
    Starter(testDescription: "onSettled") { lazy, context in lazy.onSettled(on: context) { _ in } },
  ]
}

@Suite("Ways to start a LazyPromise") struct LazyStartTests {
  let world = TestWorld()
  private let log = Log<Int>()

  @Test("Neither reading a property, nor making a link, nor time starts a lazy promise", arguments: LazyWay.all)
  func looks(_ way: LazyWay) {
    let lazy = world.run { way.make(world.main) { log.append(1, returning: 1) } }
    let links = world.run {
      [
        lazy.map { $0 }, lazy.then { .fulfilled($0) }, lazy.recover { _ in 0 }, lazy.rescue { _ in .fulfilled(0) },
        lazy.derive { promise in log.append(2, returning: promise.map { $0 }) },
      ]
    }
    for lazy in [lazy] + links {
      #expect(!lazy.isStarted)
      #expect(lazy.result == nil)
      #expect(lazy.progress == 0)
      #expect(lazy.isPending)
      #expect(!lazy.isCancelled)
    }
    world.advance(by: .seconds(1_000))
    #expect(log.entries.isEmpty)
    #expect(!lazy.isStarted)
  }

  @Test(
    "A client of a lazy promise starts it once, not inside the call", .rule("2.1"), arguments: LazyWay.all, Starter.all)
  func starts(_ way: LazyWay, _ starter: Starter) throws {
    let lazy = world.run { way.make(world.main) { log.append(1, returning: 7) } }
    world.run { starter.start(lazy, world.main) }
    #expect(lazy.isStarted)
    #expect(log.entries.isEmpty)
    #expect(lazy.isPending)
    for starter in Starter.all { world.run { starter.start(lazy, world.main) } }
    world.runUntilIdle()
    #expect(
      log.entries == [1] && !lazy.start() && lazy.promise.state.value == 7 && lazy.progress == 1 && !lazy.isPending)
    #expect(try lazy.result?.get() == 7)
    world.runUntilIdle(after: lazy.cancel())
    #expect(log.entries == [1], "it was settled before")
    #expect(!lazy.isCancelled, "it was settled before")
    #expect(lazy.promise.state.value == 7, "it was settled before")
  }

  @Test(
    "A Task that waits for the value starts the lazy promise, and all Tasks get the same value", arguments: LazyWay.all)
  func value(_ way: LazyWay) throws {
    let values = try TestWorld.run { world in
      let lazy = way.make(world.main) { log.append(1, returning: 7) }
      async let first = lazy.value
      async let second = lazy.value
      let both = try await [first, second]
      return try await both + [lazy.value]
    }
    #expect(values == [7, 7, 7])
    #expect(log.entries == [1])
  }

  @Test("A lazy promise whose closure throws rejects, and observers of all kinds are told", arguments: LazyWay.all)
  func failure(_ way: LazyWay) {
    let log = Log<String>()
    let progress = Log<Double>()
    let lazy = world.run { way.make(world.main) { throw TestError(5) } }
    let same = world.run {
      lazy.onFulfilled(on: world.main) { log.append("value \($0)") }
        .onRejected(on: world.main) { log.append("error \(($0 as? TestError)?.number ?? -1)") }
        .onSettled(on: world.main) { result in if case .failure = result { log.append("settled") } }
        .onProgress(on: world.main) { progress.append($0) }
    }
    #expect(same === lazy)
    world.runUntilIdle()
    #expect(log.entries == ["error 5", "settled"])
    #expect(lazy.promise.failure == .test(5))
    #expect(lazy.promise.progress == progress.entries.last ?? 0)
  }

  @Test("A start inside the call that starts a lazy promise returns false and does not hang")
  func reentrant() {
    let box = Locked<LazyPromise<Int>?>(nil)
    let seen = Log<Bool>()
    let inner = Log<Promise<Int>>()
    let lazy = world.run {
      LazyPromise.run(on: world.main) { 1 }.derive { [world] promise in
        let own = box.withLock { $0 }
        seen.append(own?.start() ?? true)
        if let own { inner.append(own.promise) }
        return promise.map(on: world.main) { $0 + 1 }
      }
    }
    box.withLock { $0 = lazy }
    #expect(lazy.start())
    #expect(seen.entries == [false])
    world.runUntilIdle()
    #expect(lazy.promise.state.value == 2)
    #expect(inner.entries.map(\.state.value) == [2])
    box.withLock { $0 = nil }
  }

  @Test("Callers that ask for the promise at the same time get the same outcome", .rule("8.2"))
  func askedAtTheSameMoment() {
    let asked = Locked<LazyPromise<Int>?>(nil)
    let answers = Log<Promise<Int>>()
    // The first caller has found no promise and has made one, and has not stored it yet. Then the test asks for the
    // promise.
    let world = CuriousWorld { _ in
      if let lazy = asked.withLock({ $0.take() }) { answers.append(lazy.promise) }
    }
    let scope = DiagnosticsScope(unhandledRejection: { _ in }, secondSettlement: { _ in })
    scope.setTestEnvironment(world)
    let lazy = LazyPromise.run { 1 }
    asked.withLock { $0 = lazy }
    scope.bind { lazy.cancel(reason: TestError(1)) }
    #expect(answers.entries.map(\.failure) == [.test(1)])
    #expect(lazy.promise.failure == .test(1))
  }
}
