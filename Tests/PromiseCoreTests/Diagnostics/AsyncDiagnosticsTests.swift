import PromiseCore
import TestSupport
import Testing

/// Rejections that Tasks see, or make. What they hold goes a moment after they have ended: so each test waits until the scope has
/// gone, and with it the last of its promises.
@Suite("Diagnostics: async", .leavingNothing)
struct AsyncDiagnosticsTests {
  private func unhandled(_ body: () async throws -> Void) async throws -> [Unhandled] {
    let (reports, census) = (Reports(), Tracked.Census())
    try await {
      let tracked = Tracked(census)
      try await Diagnostics.scoped(
        unhandledRejection: { report in withExtendedLifetime(tracked) { reports.rejections.append(report) } }, body)
    }()
    while census.living > 0 { await Task.yield() }
    return reports.unhandled
  }

  @Test("rule 7.1: who awaits the value has looked, also if the promise was settled before", arguments: [false, true])
  func value(isSettled: Bool) async throws {
    let reports = try await unhandled {
      let deferred = Deferred<Int>(line: 1)
      if isSettled { deferred.reject(TestError(1)) }
      let task = Task { try await deferred.promise.value }
      if !isSettled {
        await Task.yield()
        deferred.reject(TestError(1))
      }
      await #expect(throws: TestError(1)) { try await task.value }
    }
    #expect(reports == [])
  }

  @Test("rules 4.7 7.1: a Task that was cancelled while it waited has not looked")
  func cancelledWait() async throws {
    let reports = try await unhandled {
      let deferred = Deferred<Int>(line: 1)
      let task = Task { try await deferred.promise.value }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      deferred.reject(TestError(1))
    }
    #expect(reports == [Unhandled(1, line: 1)])
  }

  @Test("rule 7.1: `asyncRecover` looks, `asyncMap` and `asyncTap` hand the duty on; what they throw starts afresh")
  func links() async throws {
    let reports = try await unhandled {
      let promise = Promise<Int>.rejected(TestError(1), line: 1)
      let recovered = promise.asyncRecover { _ in 2 }
      let value = try await recovered.value
      #expect(value == 2)
    }
    #expect(reports == [])
    let passed = try await unhandled {
      _ = Promise<Int>.rejected(TestError(1), line: 1).asyncMap(line: 2) { $0 }.asyncTap(line: 3) { _ in }
    }
    #expect(passed == [Unhandled(1, line: 3)])
    let thrown = try await unhandled {
      _ = Promise<Int>.rejected(TestError(1), line: 1).asyncRecover(line: 2) { _ in throw TestError(2) }
    }
    #expect(thrown == [Unhandled(2, line: 2)])
    let mapped = try await unhandled {
      _ = Promise.fulfilled(0, line: 1).asyncMap(to: Int.self, line: 2) { _ in throw TestError(2) }
    }
    #expect(mapped == [Unhandled(2, line: 2)])
  }

  @Test("rule 7.1: a Task that throws, and that nobody waits for, is reported; one that was cancelled is not")
  func task() async throws {
    let reports = try await unhandled { _ = Promise<Int>.task(line: 1) { throw TestError(1) } }
    #expect(reports == [Unhandled(1, line: 1)])
    let cancelled = try await unhandled {
      let promise = Promise<Int>.task(line: 1) {
        // Not before the cancel, or it would be reported with right.
        while !Task.isCancelled { await Task.yield() }
        throw TestError(1)
      }
      promise.cancel()
    }
    #expect(cancelled == [])
  }

  @Test("rule 7.1: what an async handler makes belongs to the scope of its promise, also after it has been suspended")
  func madeInHandler() async throws {
    let reports = try await unhandled {
      _ = Promise.fulfilled(1).asyncMap { _ in
        await Task.yield()
        _ = Promise<Int>.rejected(TestError(1), line: 1)
      }
    }
    #expect(reports == [Unhandled(1, line: 1)])
  }
}
