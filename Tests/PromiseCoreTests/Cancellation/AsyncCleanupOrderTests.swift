import TestSupport
import Testing

@Suite("The order of cleanups after async closures", .leavingNothing, .rule("2.10")) struct AsyncCleanupOrderTests {
  private let log = Log<String>()
  private let source = Deferred<Int>()

  /// The way in which a promise waits for a Task.
  enum Source: CaseIterable, Sendable {
    case task, asyncLink, adopter, follower

    func start(_ body: StubbornBody, in world: TestWorld) -> Promise<Int> {
      switch self {
      case .task: Promise.task { await body() }
      case .asyncLink: Promise.fulfilled(1).asyncMap { _ in await body() }
      case .adopter: Promise.fulfilled(1).then(on: world.main) { _ in Promise.task { await body() } }
      case .follower: Promise<Int> { deferred in deferred.follow(Promise.task { await body() }) }
      }
    }
  }

  @Test("A cleanup begins when the Task above it has ended", arguments: Source.allCases, [false, true])
  func afterTask(_ source: Source, isAsync: Bool) throws {
    try TestWorld.run { world in
      let body = StubbornBody()
      let work = source.start(body, in: world)
      let promise: Promise<Int>
      if isAsync {
        promise = work.asyncAlways { [log] _ in log.append("cleanup") }
      } else {
        promise = work.alwaysThen(on: world.main) { [log] _ in log.append("cleanup", returning: Promise.fulfilled()) }
      }
      world.runUntilIdle()
      promise.cancel(upstream: true)
      world.runUntilIdle()
      #expect(work.isCancelled)
      #expect(log.entries.isEmpty)
      body.end()
      world.runUntilIdle()
      #expect(log.entries == ["cleanup"])
      #expect(promise.isFinished)
    }
  }

  @Test("Async cleanups of a chain run one after the other, from the source on", arguments: [false, true])
  func asyncChain(isCancelledFromAbove: Bool) throws {
    try TestWorld.run { world in
      let ends = (0..<3).map { _ in Deferred<Void>() }
      let cleanup: @Sendable (Int) async throws -> Void = { [log] number in
        log.append("begins \(number)")
        try await ends[number].promise.value
        log.append("ends \(number)")
      }
      let first = source.promise.asyncAlways { _ in try await cleanup(0) }
      let second = first.alwaysThen(on: world.main) { _ in Promise.task { try await cleanup(1) } }
      let third = second.asyncAlways { _ in try await cleanup(2) }
      if isCancelledFromAbove { source.promise.cancel() } else { third.cancel(upstream: true) }
      var expected: [String] = []
      for number in 0..<3 {
        world.runUntilIdle()
        expected.append("begins \(number)")
        #expect(log.entries == expected)
        #expect(!third.isFinished)
        ends[number].fulfill()
        expected.append("ends \(number)")
      }
      world.runUntilIdle()
      #expect(log.entries == expected)
      #expect(third.isFinished)
    }
  }
}
