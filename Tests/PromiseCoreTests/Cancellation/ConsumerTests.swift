import PromiseCore
import TestSupport
import Testing

@Suite("Consumers and other attachments", .leavingNothing)
struct ConsumerTests {
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

  @Test(
    "A promise and the work behind it go on until the last consumer gives up, unless that consumer is a shield",
    .rule("4.0", "4.4"), arguments: Consumer.allCases)
  func lastConsumer(_ consumer: Consumer) {
    let middle = link(work.promise)
    let kept = consumer.attach(to: middle, on: context, awaiting: executor)
    for branch in [link(middle), link(link(middle))] {
      branch.cancel(upstream: true)
      #expect(areCancelled([branch]) && middle.isPending && work.goesOn)
    }
    if let promise = kept.promise {
      promise.cancel(upstream: true)
      // A shield leaves its source and never gives it up.
      #expect(consumer == .shield ? work.goesOn : work.isStopped)
    }
    finish()
    #expect(middle.seen == (work.promise.isCancelled ? .rejected(.cancellation) : .fulfilled(1)))
    withExtendedLifetime(kept) {}
  }

  @Test(
    "Attachments that are not consumers do not keep the work going", .rule("4.0", "4.4"),
    arguments: NotConsuming.allCases)
  func noConsumers(_ other: NotConsuming) {
    let kept = other.attach(to: work, on: context, awaiting: executor)
    link(work.promise).cancel(upstream: true)
    #expect(work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test(
    "A promise that gives up is cancelled, even if it has a consumer of its own", .rule("4.2", "4.4"),
    arguments: Consumer.allCases)
  func consumersOfItself(_ consumer: Consumer) {
    let promise = link(work.promise)
    let kept = consumer.attach(to: promise, on: context, awaiting: executor)
    promise.cancel(upstream: true)
    #expect(areCancelled([promise]) && work.isStopped)
    finish()
    withExtendedLifetime(kept) {}
  }

  @Test("Only the last of many consumers to give up stops the work", .rule("4.0", "4.4"), arguments: [1_000, 20_000])
  func manyLinks(count: Int) {
    let links = (0..<count).map { _ in link(work.promise) }
    for link in links.dropLast() { link.cancel(upstream: true) }
    #expect(work.goesOn)
    links.last?.cancel(upstream: true)
    #expect(work.isStopped)
  }
}
