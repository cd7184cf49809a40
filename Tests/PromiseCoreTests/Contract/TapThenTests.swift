import TestSupport
import Testing

@Suite("tapThen", .leavingNothing) struct TapThenTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()
  private let other = Deferred<String>()

  /// A link that waits for the other promise.
  private func link(weight: Double = 1) -> Promise<Int> {
    source.promise.tapThen(on: context, weight: weight) { [promise = other.promise] _ in promise }
  }

  @Test("The derived promise waits for the returned promise, and keeps the value of its source", .rule("2.6"))
  func keepsValue() {
    let link = link()
    source.fulfill(7)
    context.runUntilIdle()
    #expect(link.isPending)
    other.fulfill("other")
    #expect(link.status == .fulfilled(7))
  }

  @Test("An error of the returned promise rejects the derived promise, with its mark", .rule("1.2", "2.6"))
  func error() {
    let rejected = link()
    source.fulfill(7)
    context.runUntilIdle()
    other.reject(TestError(1))
    #expect(rejected.status == .failed(1))
    #expect(!rejected.isCancelled)
    let cancelled = source.promise.tapThen(on: context) { _ in Promise<Void>.rejected(CancellationError()) }
    context.runUntilIdle()
    #expect(cancelled.isCancelled)
  }

  @Test("The outcome is kept if the returned promise is cancelled after it was fulfilled", .rule("2.6", "4.0"))
  func cancelledAfterwards() {
    let promise = other.promise
    promise.onFulfilled(on: .atOnce) { _ in promise.cancel() }
    let failing = Deferred<Int>()
    let failed = failing.promise.catchThen(on: context) { _ in promise }
    let kept = link()
    source.fulfill(7)
    failing.reject(TestError(1))
    context.runUntilIdle()
    other.fulfill("other")
    #expect(kept.status == .fulfilled(7))
    #expect(failed.status == .failed(1))
    #expect(!failed.isCancelled)
  }

  @Test("The progress is that of the source, and then that of the returned promise", .rule("5.4"))
  func progress() {
    let link = link(weight: 3)
    source.report(progress: 0.5)
    #expect(link.progress == 0.125)
    source.fulfill(7)
    context.runUntilIdle()
    #expect(link.progress == 0.25)
    other.report(progress: 0.5)
    #expect(link.progress == 0.625)
  }

  @Test("A returned promise that waits for the derived promise closes a ring", .rule("3.2"))
  func ring() {
    let last = Deferred<Int>()
    let link = source.promise.tapThen(on: context) { [promise = last.promise] _ in promise }
    last.follow(link)
    source.fulfill(7)
    context.runUntilIdle()
    #expect(PromiseError.Code(link.error) == .cycle)
  }

  @Test("A description leads to the returned promise")
  func description() {
    let link = link().labeled("link")
    let returned = other.promise.labeled("returned")
    source.fulfill(7)
    context.runUntilIdle()
    #expect(link.debugDescription.contains("\"returned\""))
    #expect(returned.debugDescription.contains("\"link\""))
  }
}
