import TestSupport
import Testing

@Suite("Links that wait for a cleanup", .leavingNothing) struct CleanupTests {
  private let context = ManualContext()
  /// The owner of the cleanup.
  private let cleanup = Deferred<String>()
  private let source = Deferred<Int>()
  private let seen = Log<Status<Int>>()

  private func link() -> Promise<Int> {
    source.promise.alwaysThen(on: context) { [seen, cleanup] in
      seen.append(Status($0))
      return cleanup.promise
    }
  }

  @Test(
    "The outcome passes on when the cleanup has ended, with the cancelled mark", .rule("1.2", "2.10"),
    arguments: [.success(1), .failure(TestError(1)), .failure(CancellationError())] as [Result<Int, any Error>])
  func waits(_ result: Result<Int, any Error>) {
    let derived = link()
    source.settle(result)
    context.runUntilIdle()
    #expect(derived.isPending)
    #expect(seen.entries == [Status(result)])
    cleanup.fulfill("closed")
    #expect(derived.status == Status(result))
    #expect(seen.entries.count == 1)
    #expect(derived.isCancelled == source.promise.isCancelled)
  }

  @Test("The error of a cleanup replaces a value", .rule("2.10"), arguments: [false, true])
  func failsAfterValue(_ throwsError: Bool) {
    let derived = Promise.fulfilled(1).alwaysThen(on: context) { [cleanup] _ in
      if throwsError { throw TestError(3) }
      return cleanup.promise
    }
    context.runUntilIdle()
    if !throwsError { cleanup.reject(TestError(3)) }
    #expect(derived.status == .failed(3))
  }

  @Test("The error of a cleanup replaces no error, and is reported", .rule("2.10", "7.1"), arguments: [false, true])
  func failsAfterError(_ throwsError: Bool) {
    expectUnhandled([Unhandled(3, line: throwsError ? 5 : 4)]) {
      let cleanup = Deferred<Int>(line: 4)
      let derived = Promise<Int>.rejected(TestError(1)).alwaysThen(on: context, line: 5) { _ in
        if throwsError { throw TestError(3) }
        return cleanup.promise
      }
      context.runUntilIdle()
      if throwsError { cleanup.fulfill(0) } else { cleanup.reject(TestError(3)) }
      #expect(derived.status == .failed(1))
    }
  }

  @Test("The cancellation of a cleanup replaces a value, and no error", .rule("2.10"), arguments: Settlement.allCases)
  func cancelledCleanup(_ settlement: Settlement) {
    let derived = link()
    source.settle(settlement.result)
    context.runUntilIdle()
    cleanup.promise.cancel(reason: TestError(3))
    #expect(derived.status == (settlement.isValue ? .failed(3) : settlement.status))
  }

  @Test("A link that is cancelled during its cleanup has the duty to look at the rejection", .rule("2.10", "7.1"))
  func cancelledAfterError() {
    expectUnhandled([]) {
      let derived = Promise<Int>.rejected(TestError(1)).alwaysThen(on: context) { [cleanup] _ in cleanup.promise }
      context.runUntilIdle()
      derived.cancel()
      cleanup.fulfill("closed")
    }
  }

  @Test("The error of a ring is reported that passes through a cleanup", .rule("2.10", "3.2", "7.1"))
  func ringAroundCleanup() {
    expectUnhandled([Unhandled("cycle", line: 5)]) {
      let owner = Deferred<Int>(line: 4)
      let derived = owner.promise.alwaysThen(on: context, line: 5) { _ in .fulfilled(0) }
      owner.follow(derived)
      context.runUntilIdle()
    }
  }

  @Test(
    "A cleanup that returns its own promise, which was cancelled, reports no error of the source",
    .rule("2.10", "3.2", "7.1"))
  func ringAfterError() {
    expectUnhandled([]) {
      let box = Locked<Promise<Int>?>(nil)
      let derived = Promise<Int>.rejected(TestError(1)).alwaysThen(on: context) { _ in
        box.withLock { $0.take() ?? .fulfilled(0) }
      }
      box.withLock { $0 = derived }
      derived.cancel()
      context.runUntilIdle()
      #expect(derived.isFinished)
    }
  }

  @Test(
    "A cancellation settles the link at once, and does not cancel its cleanup, which has begun or begins then",
    .rule("2.5", "2.10", "4.2"), arguments: CancelForm.allCases, [false, true])
  func cancelled(_ form: CancelForm, hasBegun: Bool) {
    let reasons = Log<Int>()
    cleanup.onCancel { _ in reasons.append(1) }
    let derived = link()
    if hasBegun { source.fulfill(1) }
    context.runUntilIdle()
    form.apply(to: derived)
    context.runUntilIdle()
    #expect(derived.isCancelled)
    #expect(cleanup.promise.isPending)
    #expect(seen.entries == [hasBegun ? .fulfilled(1) : .rejected(.cancellation)])
    #expect(cleanup.fulfill("closed"))
    #expect(reasons.entries.isEmpty)
  }

  @Test("A cleanup whose promise has no other client goes on after a cancellation", .rule("2.10", "4.6"))
  func unobservedCleanup() {
    let observed = Deferred<Int>(cancelsWithoutClients: true)
    let box = Locked<Promise<Int>?>(observed.promise)
    let derived = Promise.fulfilled(1).alwaysThen(on: context) { _ in box.withLock { $0.take() } ?? .fulfilled(0) }
    context.runUntilIdle()
    derived.cancel(upstream: true)
    #expect(derived.isCancelled)
    #expect(observed.fulfill(1))
  }

  @Test("The error of a cleanup is reported if its link was cancelled", .rule("2.10", "7.1"))
  func failsAfterCancellation() {
    expectUnhandled([Unhandled(3, line: 4)]) {
      let cleanup = Deferred<Int>(line: 4)
      let derived = Promise.fulfilled(1).alwaysThen(on: context) { _ in cleanup.promise }
      context.runUntilIdle()
      derived.cancel(upstream: true)
      cleanup.reject(TestError(3))
    }
  }

  @Test(
    "The error of a cleanup is reported if its link is cancelled just after the error has come", .rule("2.10", "7.1"),
    arguments: [.success(1), .failure(TestError(1))] as [Result<Int, any Error>])
  func failsJustBeforeCancellation(_ result: Result<Int, any Error>) {
    expectUnhandled([Unhandled(3, line: 4)]) {
      let cleanup = Deferred<Int>(line: 4)
      let links = Log<Promise<Int>>()
      // Comes before the link, and handles nothing.
      let context = CallingContext { links.entries[0].cancel() }
      cleanup.promise.onRejected(only: TestError.self, where: { _ in false }, on: context) { _ in }
      let source = Deferred<Int>()
      links.append(source.promise.alwaysThen(on: self.context) { _ in cleanup.promise })
      source.settle(result)
      self.context.runUntilIdle()
      cleanup.reject(TestError(3))
      #expect(links.entries[0].isCancelled)
    }
  }

  @Test(
    "The error of a cleanup is reported if its link is cancelled before the handlers inside others have run",
    .rule("2.10", "7.1"), arguments: 0..<20)
  func failsInsideHandlers(_ depth: Int) {
    expectUnhandled([Unhandled(3, line: 4)]) {
      let first = Deferred<Int>()
      // Each handler settles the cleanup of the next link. Those that are deep enough wait until others have returned.
      var last = first
      for _ in 0..<depth {
        let link = Promise.fulfilled(1).alwaysThen(on: context) { [last] _ in last.promise }
        context.runUntilIdle()
        last = Deferred<Int>()
        link.onFulfilled(on: .atOnce) { [last] in last.fulfill($0) }
      }
      let cleanup = Deferred<Int>(line: 4)
      let derived = Promise<Int>.rejected(TestError(1)).alwaysThen(on: context) { _ in cleanup.promise }
      context.runUntilIdle()
      last.promise.onFulfilled(on: .atOnce) { _ in
        cleanup.reject(TestError(3))
        derived.cancel()
      }
      first.fulfill(1)
      #expect(derived.error != nil)
    }
  }

  @Test("A cleanup that waits for its own link closes a ring", .rule("2.10", "3.2"))
  func ring() {
    let box = Locked<Promise<Int>?>(nil)
    let derived = Promise.fulfilled(1).alwaysThen(on: context) { [context] _ in
      box.withLock { $0 ?? .fulfilled(0) }.map(on: context) { $0 }
    }
    box.withLock { $0 = derived }
    context.runUntilIdle()
    #expect(derived.failure?.code == .cycle)
    box.withLock { $0 = nil }
  }

  @Test("The progress of a link with a cleanup is that of its source", .rule("5.4"))
  func progress() {
    let derived = link()
    source.report(progress: 0.5)
    #expect(derived.progress == 0.5)
    cleanup.report(progress: 0.5)
    source.fulfill(1)
    context.runUntilIdle()
    #expect(derived.progress == 1)
    #expect(derived.isPending)
    cleanup.fulfill("closed")
  }
}

@Suite("Links that wait for an async cleanup") struct AsyncCleanupTests {
  private let source = Deferred<Int>()

  @Test("asyncAlways waits for its closure, and passes the outcome on", .rule("2.10"), arguments: Settlement.allCases)
  func waits(_ settlement: Settlement) async throws {
    let seen = Log<Status<Int>>()
    let began = Deferred<Void>()
    let ended = Deferred<Void>()
    let derived = source.promise.asyncAlways {
      seen.append(Status($0))
      began.fulfill()
      try? await ended.promise.value
    }
    source.settle(settlement.result)
    try await began.promise.value
    #expect(derived.isPending)
    ended.fulfill()
    _ = try? await derived.value
    #expect(derived.status == settlement.status)
    #expect(seen.entries == [settlement.status])
  }

  @Test("The Task of an async cleanup is not cancelled", .rule("2.10"), arguments: [false, true])
  func notCancelled(_ isRunning: Bool) async throws {
    let began = Deferred<Void>()
    let mayEnd = Deferred<Void>()
    let cancelled = Deferred<Bool>()
    let derived = source.promise.asyncAlways { _ in
      began.fulfill()
      // `value` throws in a cancelled Task.
      try? await mayEnd.promise.value
      cancelled.fulfill(Task.isCancelled)
    }
    if isRunning {
      source.fulfill(1)
      try await began.promise.value
    }
    derived.cancel(upstream: true)
    #expect(derived.isCancelled)
    try await began.promise.value
    mayEnd.fulfill()
    #expect(try await cancelled.promise.value == false)
  }

  @Test(
    "The async cleanup of a cancelled link receives the reason if the source is pending, and otherwise its outcome",
    .rule("2.5", "2.10"), arguments: [nil] + Settlement.allCases.map(Optional.some))
  func argument(_ settlement: Settlement?) throws {
    try TestWorld.run { world in
      let seen = Log<Status<Int>>()
      let source = Deferred<Int>()
      let derived = source.promise.asyncAlways { seen.append(Status($0)) }
      if let settlement { source.settle(settlement.result) }
      derived.cancel(reason: TestError(7))
      world.runUntilIdle()
      if settlement == nil { source.fulfill(2) }
      world.runUntilIdle()
      #expect(derived.status == .failed(7))
      #expect(seen.entries == [settlement?.status ?? .failed(7)])
    }
  }

  @Test("An error of an async cleanup replaces a value", .rule("2.10"))
  func fails() async {
    let derived = Promise.fulfilled(1).asyncAlways { _ in throw TestError(3) }
    _ = try? await derived.value
    #expect(derived.status == .failed(3))
  }
}
