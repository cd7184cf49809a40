import PromiseCore
import TestSupport
import Testing

/// Rejections that Tasks see or cause. A Task releases its captures a moment after it has ended, so each test waits
/// until the scope has been deallocated together with its last promise.
@Suite("Diagnostics: async code", .leavingNothing)
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

  @Test(
    "Awaiting a rejected promise handles its error, even if the promise was rejected before", .rule("7.1"),
    arguments: [false, true])
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

  @Test("A Task that is cancelled while it waits does not handle the later error", .rule("4.7", "7.1"))
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

  @Test(
    "asyncRecover handles an error, asyncMap and asyncTap pass the duty on, and a thrown error is reported anew",
    .rule("7.1"))
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

  @Test("A task that throws is reported if no client awaits it, and a cancelled task is not", .rule("7.1"))
  func task() async throws {
    let reports = try await unhandled { _ = Promise<Int>.task(line: 1) { throw TestError(1) } }
    #expect(reports == [Unhandled(1, line: 1)])
    let cancelled = try await unhandled {
      let promise = Promise<Int>.task(line: 1) {
        // If the error were thrown before the cancellation, it would rightly be reported.
        while !Task.isCancelled { await Task.yield() }
        throw TestError(1)
      }
      promise.cancel()
    }
    #expect(cancelled == [])
  }

  @Test(
    "A promise made in an async handler belongs to the scope of the handler's promise, even after a suspension",
    .rule("7.1"))
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
