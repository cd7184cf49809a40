import TestSupport
import Testing

@Suite("Diagnostics: scopes", .leavingNothing) struct ScopeTests {
  private let reports = Reports()
  private let context = ManualContext()

  @Test("A scope is told of its promises even if they are released later, in another thread", .rule("7.1"))
  func later() {
    var promise: Promise<Int>? = reports.collect { Promise<Int>.rejected(TestError(1), line: 1) }
    #expect(reports.unhandled == [])
    let held = Locked(promise)
    promise = nil
    race([{ withExtendedLifetime(held.withLock { $0.take() }) {} }])
    #expect(reports.unhandled == [Unhandled(1, line: 1)])
  }

  @Test("A derived promise belongs to the scope of its source, wherever it is derived", .rule("7.1"))
  func derived() {
    let deferred = reports.collect { Deferred<Int>(line: 1) }
    _ = deferred.promise.map(on: context, line: 2) { $0 }.asVoid(line: 3)
    _ = deferred.promise.map(on: context, line: 4, fulfilled: { $0 }, rejected: { throw $0 })
    deferred.reject(TestError(1))
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(reports.unhandled == [Unhandled(1, line: 3), Unhandled(1, line: 4)])
    #expect(reports.settlements.entries.count == 1)
  }

  @Test("A promise made in a handler belongs to the scope of the handler's promise", .rule("7.1"))
  func madeInHandler() {
    let deferred = reports.collect {
      let deferred = Deferred<Int>()
      deferred.promise.onFulfilled(on: context) { _ in _ = Promise<Int>.rejected(TestError(1), line: 1) }
      _ = deferred.promise.map(on: context) { _ in _ = Promise<Int>.rejected(TestError(2), line: 2) }
      deferred.onCancel { _ in _ = Promise<Int>.rejected(TestError(3), line: 3) }
      return deferred
    }
    deferred.fulfill(1)
    context.runUntilIdle()
    let other = reports.collect { Deferred<Int>() }
    other.onCancel { _ in _ = Promise<Int>.rejected(TestError(3), line: 3) }
    other.promise.cancel()
    #expect(reports.unhandled == [Unhandled(1, line: 1), Unhandled(2, line: 2), Unhandled(3, line: 3)])
  }

  @Test("A promise made by a closure that runs on a context for an owner or an observer belongs to the scope")
  func madeByMaker() {
    let outside = Promise.fulfilled(1)
    reports.collect {
      _ = Promise<Int>(on: context) { deferred in
        _ = Promise<Int>.rejected(TestError(1), line: 1)
        deferred.fulfill(1)
      }
      outside.onFulfilled(on: context) { _ in _ = Promise<Int>.rejected(TestError(2), line: 2) }
    }
    context.runUntilIdle()
    #expect(reports.unhandled == [Unhandled(1, line: 1), Unhandled(2, line: 2)])
  }

  @Test("A scope is told of its own promises and of no others", .rule("7.1"))
  func apart() {
    let other = Reports()
    let mine = reports.collect { Promise<Int>.rejected(TestError(1), line: 1) }
    other.collect {
      _ = Promise<Int>.rejected(TestError(2), line: 2)
      // This link is made in the inner scope, from a promise of the outer scope.
      _ = mine.map(on: context, line: 3) { $0 }
    }
    _ = mine.state
    #expect(other.unhandled == [Unhandled(2, line: 2), Unhandled(1, line: 3)])
    #expect(reports.unhandled == [])
  }

  @Test("A scope with one hook uses the other hook of the scope around it", .rule("7.1"), arguments: [true, false])
  func nested(hearsRejections: Bool) {
    let inner = Reports()
    func settleTwice() {
      let deferred = Deferred<Int>(line: 1)
      deferred.reject(TestError(1))
      deferred.reject(TestError(2))
    }
    reports.collect {
      if hearsRejections {
        Diagnostics.scoped(unhandledRejection: { inner.rejections.append($0) }, settleTwice)
      } else {
        Diagnostics.scoped(secondSettlement: { inner.settlements.append($0) }, settleTwice)
      }
      _ = Promise<Int>.rejected(TestError(3), line: 3)
    }
    let first = Unhandled(1, line: 1)
    let last = Unhandled(3, line: 3)
    #expect(inner.unhandled == (hearsRejections ? [first] : []))
    #expect(reports.unhandled == (hearsRejections ? [last] : [first, last]))
    #expect(inner.settlements.entries.count == (hearsRejections ? 0 : 1))
    #expect(reports.settlements.entries.count == (hearsRejections ? 1 : 0))
  }

  @Test("A test environment is told of each promise when its state and value can be read")
  func environment() {
    let scope = DiagnosticsScope(unhandledRejection: { _ in }, secondSettlement: { _ in })
    let log = Log<String>()
    let environment = ReadingEnvironment { log.append("\($0.isPending) \($0.debugDescription)") }
    scope.setTestEnvironment(environment)
    scope.bind {
      _ = Promise.fulfilled("a value")
      _ = Promise.fulfilled(4711)
      _ = Deferred<Int>()
    }
    #expect(log.entries.map { $0.hasPrefix("true") } == [false, false, true])
    #expect(log.entries[0].contains("a value") && log.entries[1].contains("4711"), "\(log.entries)")
  }

  @Test("An async scope covers promises made later or in a Task, and a sync scope works in async code", .rule("7.1"))
  func asynchronous() async throws {
    let hook: @Sendable (UnhandledRejection) -> Void = { [reports] in reports.rejections.append($0) }
    await Diagnostics.scoped(unhandledRejection: hook) {
      await Task.yield()
      _ = Promise<Int>.rejected(TestError(1), line: 1)
      await Task { _ = Promise<Int>.rejected(TestError(2), line: 2) }.value
    }
    let answer = Diagnostics.scoped(unhandledRejection: hook) {
      _ = Promise<Int>.rejected(TestError(3), line: 3)
      return 5
    }
    #expect(answer == 5)
    #expect(reports.unhandled == [Unhandled(1, line: 1), Unhandled(2, line: 2), Unhandled(3, line: 3)])
    await #expect(throws: TestError(4)) {
      try await Diagnostics.scoped {
        await Task.yield()
        throw TestError(4)
      }
    }
  }

  @Test("The hooks of a scope are released with the last of its promises", .rule("6.3"))
  func lifetime() {
    let census = Tracked.Census()
    let held = {
      let tracked = Tracked(census)
      let hook: @Sendable (UnhandledRejection) -> Void = { _ in withExtendedLifetime(tracked) {} }
      return Diagnostics.scoped(unhandledRejection: hook) { Locked<Promise<Int>?>(.fulfilled(1)) }
    }()
    #expect(census.living == 1)
    held.withLock { $0 = nil }
    #expect(census.living == 0)
  }
}

/// An environment that reads each promise when the promise is made.
private final class ReadingEnvironment: TestEnvironment {
  private let look: @Sendable (AnyPromise) -> Void
  let executor: any TestTaskExecutor = Nowhere()
  let hookContext: any ExecutionContext = .atOnce

  init(_ look: @escaping @Sendable (AnyPromise) -> Void) { self.look = look }

  func didCreate(_ promise: AnyPromise) { look(promise) }

  private final class Nowhere: TestTaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(UnownedJob(job)) }
    func naming(_ site: CreationSite?) -> any TaskExecutor { self }
  }
}
