import TestSupport
import Testing

/// Rejections that Tasks see or cause. A Task releases its captures a moment after it has ended, so each test waits
/// until the scope has been deallocated together with its last promise.
@Suite("Diagnostics: async code", .leavingNothing, .bounded, .rule("7.1")) struct AsyncDiagnosticsTests {
  private func expectUnhandled(
    _ expected: [Unhandled], sourceLocation: SourceLocation = #_sourceLocation, in body: () async throws -> Void
  ) async throws {
    let reports = Reports()
    let census = Tracked.Census()
    try await {
      let tracked = Tracked(census)
      try await Diagnostics.scoped(
        unhandledRejection: { report in withExtendedLifetime(tracked) { reports.rejections.append(report) } }, body)
    }()
    while census.living > 0 { await Task.yield() }
    #expect(reports.unhandled == expected, sourceLocation: sourceLocation)
  }

  @Test("Awaiting a rejected promise handles its error, even if it was rejected before", arguments: [false, true])
  func value(isSettled: Bool) async throws {
    try await expectUnhandled([]) {
      let deferred = Deferred<Int>(line: 1)
      if isSettled { deferred.reject(TestError(1)) }
      let executor = ManualExecutor()
      let task = Task(executorPreference: executor) { try await deferred.promise.value }
      // If the promise is pending, the Task waits now.
      executor.runUntilIdle()
      if !isSettled { deferred.reject(TestError(1)) }
      executor.runUntilIdle()
      await #expect(throws: TestError(1)) { try await task.value }
    }
  }

  @Test("A Task that is cancelled while it waits does not handle the later error", .rule("4.7"))
  func cancelledWait() async throws {
    try await expectUnhandled([Unhandled(1, line: 1)]) {
      let deferred = Deferred<Int>(line: 1)
      let executor = ManualExecutor()
      let task = Task(executorPreference: executor) { try await deferred.promise.value }
      // The Task waits now.
      executor.runUntilIdle()
      task.cancel()
      executor.runUntilIdle()
      await #expect(throws: CancellationError.self) { try await task.value }
      deferred.reject(TestError(1))
    }
  }

  @Test("asyncRecover handles an error, asyncMap and asyncTap pass the duty on, and a thrown error is reported anew")
  func links() async throws {
    try await expectUnhandled([]) {
      let value = try await Promise<Int>.rejected(TestError(1), line: 1).asyncRecover { _ in 2 }.value
      #expect(value == 2)
    }
    try await expectUnhandled([Unhandled(1, line: 3)]) {
      _ = Promise<Int>.rejected(TestError(1), line: 1).asyncMap(line: 2) { $0 }.asyncTap(line: 3) { _ in }
    }
    try await expectUnhandled([Unhandled(2, line: 2)]) {
      _ = Promise<Int>.rejected(TestError(1), line: 1).asyncRecover(line: 2) { _ in throw TestError(2) }
    }
    try await expectUnhandled([Unhandled(2, line: 2)]) {
      _ = Promise.fulfilled(0, line: 1).asyncMap(to: Int.self, line: 2) { _ in throw TestError(2) }
    }
  }

  @Test("An error of asyncAlways replaces no error, and is reported", .rule("2.10"), arguments: [false, true])
  func cleanup(isCancelled: Bool) async throws {
    try await expectUnhandled([Unhandled(3, line: 2)]) {
      let source = Deferred<Int>(line: 1)
      let derived = source.promise.asyncAlways(line: 2) { _ in throw TestError(3) }
      if isCancelled { derived.cancel(reason: TestError(1)) } else { source.reject(TestError(1)) }
      await #expect(throws: TestError(1)) { try await derived.value }
      try await derived.whenFinished().value
      if isCancelled { source.fulfill(1) }
    }
  }

  @Test("A task that throws is reported if no client awaits it, and a cancelled task is not")
  func task() async throws {
    try await expectUnhandled([Unhandled(1, line: 1)]) { _ = Promise<Int>.task(line: 1) { throw TestError(1) } }
    try await expectUnhandled([]) {
      let promise = Promise<Int>.task(line: 1) {
        // If the error were thrown before the cancellation, it would rightly be reported.
        while !Task.isCancelled { await Task.yield() }
        throw TestError(1)
      }
      promise.cancel()
    }
  }

  @Test("A promise made in an async handler belongs to the scope of the handler's promise, even after a suspension")
  func madeInHandler() async throws {
    try await expectUnhandled([Unhandled(1, line: 1)]) {
      _ = Promise.fulfilled(1).asyncMap { _ in
        await Task.yield()
        _ = Promise<Int>.rejected(TestError(1), line: 1)
      }
    }
  }
}
