import TestSupport
import TestedCalls
import Testing

@Suite("Consumers and other attachments", .leavingNothing) struct ConsumerTests {
  private let context = ManualContext()
  private let executor = ManualExecutor()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Fulfils the work and runs all jobs, because a Task that does not end leaks.
  private func finish() {
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
  }

  @Test("Only the last of many consumers to give up stops the work", .rule("4.0", "4.4"), arguments: [1_000, 20_000])
  func manyLinks(count: Int) {
    let links = (0..<count).map { _ in link(work.promise) }
    for link in links.dropLast() { link.cancel(upstream: true) }
    #expect(work.goesOn)
    links.last?.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test("A count of consumers that has reached its capacity no longer changes", .rule("4.0"))
  func capacity() {
    let most = 16_777_215
    let almost = StateWord(bits: 0).addingConsumers(most - 1)
    #expect(almost.consumers == most - 1)
    #expect(almost.removingConsumer().consumers == most - 2)
    let full = almost.addingConsumers(1)
    #expect(full.consumers == most)
    #expect(full.removingConsumer() == full)
    // A count that overflowed would change the bits beside it.
    for count in [1, 2, most] {
      #expect(full.addingConsumers(count) == full)
      #expect(almost.addingConsumers(count) == full)
    }
  }

  @Test("Only the last consumer stops the work, and a shield never", .rule("4.0", "4.4"), arguments: Consumer.allCases)
  func lastConsumer(_ consumer: Consumer) {
    let middle = link(work.promise)
    let kept = consumer.attach(to: middle, on: context, awaiting: executor)
    for branch in [link(middle), link(link(middle))] {
      branch.cancel(upstream: true)
      #expect(areCancelled([branch]))
      #expect(middle.isPending)
      #expect(work.goesOn)
    }
    if let promise = kept.promise {
      promise.cancel(upstream: true)
      // A shield leaves its source and never gives it up.
      #expect(consumer == .shield ? work.goesOn : work.isStopped)
    }
    finish()
    #expect(middle.status == (work.promise.isCancelled ? .rejected(.cancellation) : .fulfilled(1)))
    withExtendedLifetime(kept) {}
  }

  @Test("Attachments that are not consumers keep no work going", .rule("4.0", "4.4"), arguments: NotConsuming.allCases)
  func noConsumers(_ other: NotConsuming) {
    let kept = other.attach(to: work, on: context, awaiting: executor)
    let branch = link(work.promise)
    if other == .onProgress { branch.onProgress(on: context) { _ in } }
    branch.cancel(upstream: true)
    #expect(work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test("The lists of consumers and of other attachments contain each observer", .rule("4.0"))
  func observers() {
    let tested = Consumer.allCases.map { "\($0)" } + NotConsuming.allCases.map { "\($0)" }
    let observers = LinkKind.observers.map { String($0.rawValue.prefix(while: \.isLetter)) }
    #expect(Set(observers).subtracting(tested).isEmpty)
  }

  /// An error that has an identity.
  private final class Reason: Error, Sendable {}

  @Test("Giving up rejects the whole chain with the very error that it was given", .rule("1.2", "4.4"))
  func sameError() {
    let reason = Reason()
    let first = link(work.promise)
    let second = link(first)
    second.cancel(reason: reason, upstream: true)
    for promise in [work.promise, first, second] { #expect(promise.isCancelled && promise.error as? Reason === reason) }
    #expect(work.reasons.count == 1)
    #expect(work.reasons.first as? Reason === reason)
  }

  @Test("A second cancel, in either form, leaves the source alone", .rule("4.1"), arguments: CancelForm.allCases)
  func secondCall(_ second: CancelForm) {
    let promise = link(work.promise)
    promise.cancel()
    second.apply(to: promise)
    #expect(areCancelled([promise]))
    #expect(work.goesOn)
  }

  @Test("A diamond with another consumer on one arm keeps that arm and the top", .rule("4.4"), arguments: [0, 1])
  func diamond(arm: Int) {
    let arms = [link(work.promise), link(work.promise)]
    let bottom = Deferred<Int>()
    for arm in arms { bottom.follow(arm) }
    let other = link(arms[arm])
    bottom.promise.cancel(upstream: true)
    #expect(areCancelled([arms[1 - arm], bottom.promise]) && arms[arm].isPending && work.goesOn && other.isPending)
    other.cancel(upstream: true)
    #expect(areCancelled([arms[arm]]))
    #expect(work.isStopped)
  }
}
