import TestSupport
import Testing

/// Tests the hooks of the process. Other tests run concurrently, so each test looks for promises of its own made-up
/// file.
@Suite("Diagnostics: hooks", .serialized) struct HookTests {
  @Test(
    "The process hooks are told of promises made outside every scope, and setting a hook returns the previous hook",
    .rule("1.3", "7.1"))
  func process() {
    let rejections = Log<Int>()
    let settlements = Log<Int>()
    let before = Diagnostics.onUnhandledRejection { report in
      if report.createdAt.fileID == "Hooks/process" { rejections.append(report.createdAt.line) }
    }
    let settlementBefore = Diagnostics.onSecondSettlement { report in
      if report.createdAt.fileID == "Hooks/process" { settlements.append(report.createdAt.line) }
    }
    func fail(_ line: UInt) {
      let deferred = Deferred<Int>(fileID: "Hooks/process", line: line)
      deferred.reject(TestError(1))
      deferred.reject(TestError(1))
    }
    fail(1)
    // Replaces the hook by another hook that calls the previous hook twice.
    let first = Diagnostics.onUnhandledRejection(nil)
    fail(2)
    Diagnostics.onUnhandledRejection { report in
      first?(report)
      first?(report)
    }
    fail(3)
    Diagnostics.onUnhandledRejection(before)
    Diagnostics.onSecondSettlement(settlementBefore)
    fail(4)
    #expect(rejections.entries == [1, 3, 3])
    #expect(settlements.entries == [1, 2, 3])
  }

  @Test("A hook may use the library, and is not called for rejections that it leaves unhandled", .rule("6.5", "7.1"))
  func hookThatFails() {
    let reports = Log<Int>()
    let again = Locked(0)
    let hook: @Sendable (UnhandledRejection) -> Void = { report in
      reports.append(report.createdAt.line)
      again.withLock { $0 += 1 }
      guard again.withLock({ $0 }) < 1_000 else { return }
      let deferred = Deferred<Int>(line: 2)
      _ = deferred.promise.asVoid(line: 3)
      deferred.reject(TestError(2))
      deferred.reject(TestError(2))
    }
    Diagnostics.scoped(unhandledRejection: hook) {
      _ = Promise<Int>.rejected(TestError(1), line: 1)
      _ = Promise<Int>.rejected(TestError(1), line: 4)
    }
    #expect(reports.entries == [1, 4])
  }

  @Test("A rejection in a Task that a hook starts is reported, even while the hook is running", .rule("7.1"))
  func hookThatFailsElsewhere() async {
    let reports = Log<Int>()
    let tasks = Locked<Task<Void, Never>?>(nil)
    let hook: @Sendable (UnhandledRejection) -> Void = { report in
      reports.append(report.createdAt.line)
      guard report.createdAt.line == 1 else { return }
      let gate = Gate()
      tasks.withLock {
        $0 = Task {
          _ = Promise<Int>.rejected(TestError(2), line: 2)
          gate.open()
        }
      }
      gate.wait()
    }
    Diagnostics.scoped(unhandledRejection: hook) { _ = Promise<Int>.rejected(TestError(1), line: 1) }
    await tasks.withLock { $0 }?.value
    #expect(reports.entries == [1, 2])
  }

  @Test("A hook runs in the middle of a deallocating structure, and may use promises itself", .rule("6.4", "6.5"))
  func inDeinit() {
    let reports = Reports()
    let seen = Log<Int>()
    let hook: @Sendable (UnhandledRejection) -> Void = { report in
      reports.rejections.append(report)
      let context = ManualContext()
      Promise.fulfilled(1).map(on: context) { $0 + 1 }.onFulfilled(on: context) { seen.append($0) }
      context.runUntilIdle()
    }
    Diagnostics.scoped(unhandledRejection: hook) {
      let context = ManualContext()
      let deferred = Deferred<Int>(line: 1)
      for line in 2...3 { _ = deferred.promise.map(on: context, line: UInt(line)) { $0 }.asVoid(line: UInt(line + 10)) }
      deferred.reject(TestError(1))
    }
    #expect(reports.unhandled == [Unhandled(1, line: 12), Unhandled(1, line: 13)])
    #expect(seen.entries == [2, 2])
  }
}
