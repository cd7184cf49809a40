import TestSupport
import Testing

@Suite("markCancelled", .leavingNothing) struct MarkCancelledTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()

  /// A link that counts the seventh error as a cancellation.
  private func link(_ promise: Promise<Int>) -> Promise<Int> {
    promise.markCancelled(on: context, line: 2) { ($0 as? TestError)?.number == 7 }
  }

  @Test("The derived promise gets the mark and keeps the error, and its source has no mark", .rule("1.2"))
  func accepted() {
    let marked = link(source.promise)
    let below = marked.map(on: context) { $0 }
    let other = source.promise.map(on: context) { $0 }
    source.reject(TestError(7))
    context.runUntilIdle()
    for promise in [marked, below] {
      #expect(promise.isCancelled)
      #expect(promise.failure == .test(7))
    }
    for promise in [source.promise, other] {
      #expect(!promise.isCancelled)
      #expect(promise.failure == .test(7))
    }
  }

  @Test("Another error and a value pass through without the mark", .rule("1.2", "2.3"))
  func refused() {
    let refused = link(.rejected(TestError(8)))
    let fulfilled = link(.fulfilled(1))
    #expect(fulfilled.status == .fulfilled(1))
    context.runUntilIdle()
    #expect(!refused.isCancelled)
    #expect(refused.failure == .test(8))
  }

  @Test("Below the mark the handlers for failures do not run, and those for all errors do", .rule("1.2"))
  func handlers() {
    let seen = Log<String>()
    let marked = link(source.promise)
    marked.catchFailure(on: context) { _ in seen.append("catchFailure") }
    marked.onFailed(on: context) { _ in seen.append("onFailed") }
    marked.catch(on: context) { _ in seen.append("catch") }
    let recovered = marked.recoverFailure(on: context) { _ in 1 }
    source.reject(TestError(7))
    context.runUntilIdle()
    #expect(seen.entries == ["catch"])
    #expect(recovered.isCancelled)
  }

  @Test("The mark settles nothing above or beside it, and gives no work up", .rule("1.2", "4.4"))
  func above() {
    let failing = Deferred<Int>()
    let works = (0..<3).map { _ in Deferred<Int>() }
    let stopped = Log<Int>()
    for (number, work) in works.enumerated() { work.onCancel(on: .atOnce) { _ in stopped.append(number) } }
    let owner = Deferred<Int>()
    owner.follow(failing.promise)
    owner.follow(works[0].promise)
    let first = source.promise
    let second = first.then(on: context) { [promise = owner.promise] _ in promise }
    // Attached before the mark, so it waits for its work when the mark is set.
    let besideMark = second.rescue(on: context) { [promise = works[2].promise] _ in promise }
    let besideFirst = first.then(on: context) { [promise = works[1].promise] _ in promise }
    let marked = link(second)
    source.fulfill(1)
    context.runUntilIdle()
    failing.reject(TestError(7))
    context.runUntilIdle()
    #expect(marked.isCancelled)
    #expect(first.isFulfilled)
    #expect(!second.isCancelled)
    #expect(stopped.entries.isEmpty)
    for (number, work) in works.enumerated() { #expect(work.fulfill(number)) }
    #expect(besideFirst.status == .fulfilled(1))
    #expect(besideMark.status == .fulfilled(2))
  }

  @Test("An error that gets the mark is handled, and another one is reported", .rule("7.1"))
  func duty() {
    expectUnhandled([]) {
      _ = link(.rejected(TestError(7)))
      context.runUntilIdle()
    }
    expectUnhandled([Unhandled(8, line: 2)]) {
      _ = link(.rejected(TestError(8)))
      context.runUntilIdle()
    }
  }
}
