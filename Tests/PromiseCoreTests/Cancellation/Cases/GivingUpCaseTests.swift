import PromiseCore
import TestSupport
import Testing

/// An error that has an identity.
private final class Reason: Error, Sendable {}

@Suite("Giving up along links", .leavingNothing)
struct GivingUpCaseTests {
  private let context = ManualContext()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("Giving up the last link of a chain stops the work and cancels the whole chain", .rule("4.4"), arguments: 0..<4)
  func chain(length: Int) {
    var promises = [work.promise]
    for _ in 0..<length { promises.append(link(promises[promises.count - 1])) }
    promises[length].cancel(upstream: true)
    #expect(work.isStopped && areCancelled(promises))
    context.runUntilIdle()
    #expect(work.isStopped && areCancelled(promises))
  }

  @Test("Giving up rejects the whole chain with the very error that it was given", .rule("1.2", "4.4"))
  func sameError() {
    let reason = Reason()
    let first = link(work.promise)
    let second = link(first)
    second.cancel(reason: reason, upstream: true)
    for promise in [work.promise, first, second] {
      #expect(promise.isCancelled && promise.rejection as? Reason === reason)
    }
    #expect(work.reasons.count == 1 && work.reasons.first as? Reason === reason)
  }

  @Test("Giving up passes through every kind of link", .rule("4.4"), arguments: LinkKind.links)
  func kinds(_ kind: LinkKind) {
    let first = kind.attach(to: work.promise, on: context, giving: 2) {}
    let second = kind.attach(to: first, on: context, giving: 2) {}
    second.cancel(upstream: true)
    #expect(work.isStopped && areCancelled([first, second, work.promise]))
    context.runUntilIdle()
    #expect(work.isStopped && areCancelled([first, second, work.promise]))
  }

  @Test("The work goes on until the last of its links has given up", .rule("4.0", "4.4"), arguments: [2, 5])
  func severalLinks(count: Int) {
    let links = (0..<count).map { _ in link(work.promise) }
    for promise in links {
      #expect(work.goesOn)
      promise.cancel(upstream: true)
      #expect(areCancelled([promise]))
    }
    #expect(work.isStopped)
  }

  @Test("A promise in the middle of a chain goes on until its last link has given up", .rule("4.0", "4.4"))
  func sharedMiddle() {
    let middle = link(link(work.promise))
    let (left, right) = (link(link(middle)), link(middle))
    left.cancel(upstream: true)
    #expect(middle.isPending && right.isPending && work.goesOn)
    right.cancel(upstream: true)
    #expect(areCancelled([left, right, middle]) && work.isStopped)
  }

  @Test("The work is cancelled with the reason of the last consumer to give up", .rule("1.2", "4.4"))
  func lastReason() {
    let (first, last) = (link(work.promise), link(work.promise))
    first.cancel(reason: TestError(1), upstream: true)
    #expect(first.isCancelled && first.seen == .failed(1) && work.goesOn)
    last.cancel(reason: TestError(2), upstream: true)
    #expect(first.seen == .failed(1) && last.seen == .failed(2) && work.promise.seen == .failed(2))
    #expect(last.isCancelled && work.isStopped && work.reasonNumbers == [2])
  }

  @Test(
    "A second cancel of a cancelled promise, in either form, leaves its source alone", .rule("4.1"),
    arguments: CancelForm.allCases)
  func secondCall(_ second: CancelForm) {
    let promise = link(work.promise)
    promise.cancel()
    second.apply(to: promise)
    #expect(areCancelled([promise]) && work.goesOn)
  }

  @Test("Giving up below a cancelled promise stops nothing above it", .rule("4.1", "4.4"))
  func belowCancelled() {
    let middle = link(work.promise)
    middle.cancel()
    let late = link(middle)
    late.cancel(upstream: true)
    #expect(middle.isCancelled && late.isCancelled && work.goesOn)
  }

  @Test("A link that recovers from a cancelled promise is still below it", .rule("4.1", "4.2", "4.3"))
  func belowAgain() {
    let (slow, context) = (StoppableWork(), context)
    let cancelled = link(work.promise)
    cancelled.cancel(upstream: true)
    let rescued = cancelled.rescue(on: context) { [promise = slow.promise] _ in promise.map(on: context) { $0 } }
    context.runUntilIdle()
    #expect(rescued.isPending && slow.goesOn)
    cancelled.cancel(upstream: true)
    #expect(areCancelled([rescued]) && slow.isStopped)
  }

  @Test("A plain cancel of the only consumer leaves the source alone", .rule("4.2", "4.4"), arguments: [1, 3])
  func plainCancel(length: Int) {
    var promises = [work.promise]
    for _ in 0..<length { promises.append(link(promises[promises.count - 1])) }
    promises[length].cancel()
    #expect(areCancelled([promises[length]]))
    #expect(promises.dropLast().allSatisfy { $0.isPending } && work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    #expect(promises.dropLast().allSatisfy { $0.seen == .fulfilled(1) })
  }

  @Test("A consumer that was cancelled with a plain cancel does not keep the work going", .rule("4.0", "4.4"))
  func plainCancelCounts() {
    let (first, last) = (link(work.promise), link(work.promise))
    first.cancel()
    #expect(work.goesOn)
    last.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "Giving up a settled promise cancels the pending link below it and leaves other work alone", .rule("4.1", "4.2"))
  func settled() {
    let source = link(work.promise)
    let promise = Promise.fulfilled(1).map(on: context) { $0 }
    context.runUntilIdle()
    let below = link(promise)
    promise.cancel(upstream: true)
    #expect(promise.seen == .fulfilled(1) && areCancelled([below]))
    #expect(source.isPending && work.goesOn)
  }
}

extension Promise {
  /// The error of a rejected promise, otherwise `nil`.
  var rejection: (any Error)? {
    guard case .rejected(let error) = state else { return nil }
    return error
  }
}
