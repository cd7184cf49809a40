import PromiseCore
import TestSupport
import Testing

@Suite("Reports about promises that were given up", .leavingNothing)
struct ReportCaseTests {
  private let context = ManualContext()
  private let rejections = Log<Failure>()
  private let settlements = Log<Bool>()

  /// Logs the reports that come while the body runs. These are errors, and whether a losing call lost against a
  /// cancellation.
  private func reporting(_ body: () -> Void) {
    Diagnostics.scoped(
      unhandledRejection: { [rejections] in rejections.append(Failure($0.error)) },
      secondSettlement: { [settlements] in settlements.append($0.wasCancelled) }, body)
  }

  @Test(
    "A promise given up with an error is not reported, and its owner's late call is reported as cancelled",
    .rule("1.3", "7.1"), arguments: 0..<3)
  func lateOwner(length: Int) {
    reporting {
      let deferred = Deferred<Int>()
      (0..<length).reduce(deferred.promise) { promise, _ in promise.map(on: context) { $0 } }
        .cancel(reason: TestError(7), upstream: true)
      #expect(!deferred.fulfill(1))
    }
    #expect(rejections.entries.isEmpty && settlements.entries == [true])
  }

  @Test("The rejection of a source is reported once after its only consumer gave up", .rule("7.1"))
  func shielded() {
    reporting {
      let deferred = Deferred<Int>()
      deferred.promise.shielded().map(on: context) { $0 }.cancel(upstream: true)
      deferred.reject(TestError(1))
    }
    #expect(rejections.entries == [.test(1)] && settlements.entries.isEmpty)
  }

  @Test(
    "A consumer that has left does not handle the rejection of its source, except catch", .rule("7.1"),
    arguments: [Consuming.link, .tap, .catch, .recover, .follower, .adopter, .waiter, .shield])
  func left(_ consumer: Consuming) {
    let executor = ManualExecutor()
    reporting {
      let deferred = Deferred<Int>()
      // Keeps the promise pending, and handles no rejection.
      deferred.promise.onFulfilled(on: context) { _ in }
      let kept = consumer.attach(to: deferred.promise, on: context, awaiting: executor)
      kept.promise?.cancel()
      kept.task?.cancel()
      executor.runUntilIdle()
      #expect(deferred.reject(TestError(1)))
      context.runUntilIdle()
    }
    // `tap` and `catch` stay attached although their promises were cancelled. `tap` hands the duty to handle the
    // rejection to its promise, which no consumer reads. `catch` handles it.
    #expect(rejections.entries == (consumer == .catch ? [] : [.test(1)]))
  }

  @Test("A chain that was given up with the client's error reports nothing", .rule("7.1"))
  func chain() {
    reporting {
      let work = StoppableWork()
      let middle = work.promise.map(on: context) { $0 }
      let follower = Deferred<Int>()
      follower.follow(middle)
      follower.promise.map(on: context) { $0 }.cancel(reason: TestError(7), upstream: true)
      context.runUntilIdle()
    }
    #expect(rejections.entries.isEmpty && settlements.entries.isEmpty)
  }
}
