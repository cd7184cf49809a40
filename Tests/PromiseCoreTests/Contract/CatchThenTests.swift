import TestSupport
import Testing

@Suite("catchThen", .leavingNothing) struct CatchThenTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()
  private let other = Deferred<String>()

  /// A link that waits for the other promise.
  private func link() -> Promise<Int> {
    source.promise.catchThen(on: context, line: 2) { [promise = other.promise] _ in promise }
  }

  @Test("The derived promise waits for the returned promise, and keeps the error of its source", .rule("2.6"))
  func keepsError() {
    let link = link()
    source.reject(TestError(7))
    context.runUntilIdle()
    #expect(link.isPending)
    other.fulfill("other")
    #expect(link.status == .failed(7))
    #expect(!link.isCancelled)
  }

  @Test("The derived promise keeps the mark of its source, whatever the error is", .rule("1.2", "2.6"))
  func keepsMark() {
    source.promise.cancel(reason: TestError(7))
    let link = link()
    context.runUntilIdle()
    other.fulfill("other")
    #expect(link.isCancelled)
    #expect(link.status == .failed(7))
  }

  @Test("A value passes through at once, without a job", .rule("2.3"))
  func value() {
    let link = link()
    source.fulfill(7)
    #expect(link.status == .fulfilled(7))
    #expect(context.count == 0)
  }

  @Test("An error of the returned promise rejects the derived promise, with its mark", .rule("1.2", "2.6"))
  func error() {
    let rejected = link()
    let cancelled = source.promise.catchThen(on: context) { _ in Promise<Void>.rejected(CancellationError()) }
    source.reject(TestError(7))
    context.runUntilIdle()
    other.reject(TestError(1))
    #expect(rejected.status == .failed(1))
    #expect(!rejected.isCancelled)
    #expect(cancelled.isCancelled)
    #expect(cancelled.status == .rejected(.cancellation))
  }

  @Test("The error that was passed on counts as handled, and that of the returned promise is reported", .rule("7.1"))
  func duty() {
    expectUnhandled([]) {
      let failed = Promise<Int>.rejected(TestError(7), line: 1)
      _ = failed.catchThen(on: context, line: 2) { _ in Promise.fulfilled("other") }.asVoid(line: 3)
      context.runUntilIdle()
    }
    expectUnhandled([Unhandled(1, line: 2)]) {
      let failed = Promise<Int>.rejected(TestError(7), line: 1)
      _ = failed.catchThen(on: context, line: 2) { _ in Promise<String>.rejected(TestError(1), line: 3) }
      context.runUntilIdle()
    }
  }

  @Test("A closure that runs after the derived promise was cancelled has its promise given up", .rule("2.5", "4.4"))
  func keptHandler() {
    let seen = Log<Int>()
    let reasons = Log<Int>()
    other.onCancel(on: .atOnce) { reasons.append(($0 as? TestError)?.number ?? 0) }
    let link = source.promise.catchThen(on: context) { [promise = other.promise] error in
      seen.append((error as? TestError)?.number ?? 0)
      return promise
    }
    link.cancel(reason: TestError(1))
    #expect(link.status == .failed(1))
    source.reject(TestError(7))
    context.runUntilIdle()
    #expect(seen.entries == [7])
    #expect(other.promise.isCancelled)
    #expect(reasons.entries.count == 1)
  }

  @Test("A cancellation while the derived promise waits gives the returned promise up", .rule("4.4"))
  func cancelledWhileWaiting() {
    let link = link()
    source.reject(TestError(7))
    context.runUntilIdle()
    link.cancel()
    #expect(link.isCancelled)
    #expect(other.promise.isCancelled)
  }

  @Test("The progress stays that of the source", .rule("5.4"))
  func progress() {
    let link = link()
    source.report(progress: 0.5)
    #expect(link.progress == 0.5)
    source.reject(TestError(7))
    context.runUntilIdle()
    other.report(progress: 0.5)
    #expect(link.progress == 0.5)
    other.fulfill("other")
    #expect(link.progress == 0.5)
  }

  @Test("A returned promise that waits for the derived promise closes a ring", .rule("3.2"))
  func ring() {
    let last = Deferred<Int>()
    let link = source.promise.catchThen(on: context) { [promise = last.promise] _ in promise }
    last.follow(link)
    source.reject(TestError(7))
    context.runUntilIdle()
    #expect(PromiseError.Code(link.error) == .cycle)
  }

  @Test("The derived promise has not finished before a returned promise that it gave up", .rule("2.11"))
  func finish() {
    let end = Deferred<Void>()
    other.onCancelThen(on: .atOnce) { [promise = end.promise] _ in promise }
    let link = link()
    source.reject(TestError(7))
    context.runUntilIdle()
    link.cancel()
    #expect(!link.isFinished)
    end.fulfill(())
    #expect(link.isFinished)
  }

  @Test("A description leads to the returned promise")
  func description() {
    let link = link().labeled("link")
    let returned = other.promise.labeled("returned")
    source.reject(TestError(7))
    context.runUntilIdle()
    #expect(link.debugDescription.contains("\"returned\""))
    #expect(returned.debugDescription.contains("\"link\""))
  }
}
