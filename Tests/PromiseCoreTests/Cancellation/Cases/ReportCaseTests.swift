import PromiseCore
import TestSupport
import Testing

@Suite("What is reported of promises that were given up", .leavingNothing)
struct ReportCaseTests {
  private let context = ManualContext()
  private let rejections = Log<Failure>()
  private let settlements = Log<Bool>()

  /// Notes the reports that come while the body runs: errors, and whether a losing call lost against a cancellation.
  private func reporting(_ body: () -> Void) {
    Diagnostics.scoped(
      unhandledRejection: { [rejections] in rejections.append(Failure($0.error)) },
      secondSettlement: { [settlements] in settlements.append($0.wasCancelled) }, body)
  }

  // Case 55.
  @Test(
    "A promise that was given up with an error is not reported, and its owner's late call is reported as cancelled",
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

  // Case 56.
  @Test("A consumer that gave up handles nothing: the rejection of the source is reported once", .rule("7.1"))
  func shielded() {
    reporting {
      let deferred = Deferred<Int>()
      deferred.promise.shielded().map(on: context) { $0 }.cancel(upstream: true)
      deferred.reject(TestError(1))
    }
    #expect(rejections.entries == [.test(1)] && settlements.entries.isEmpty)
  }

  // Case 56, with every way to leave.
  @Test(
    "A consumer that left or gave up handles nothing", .rule("7.1"),
    arguments: [Consuming.link, .tap, .catch, .recover, .follower, .adopter, .waiter, .shield])
  func left(_ consumer: Consuming) {
    let executor = ManualExecutor()
    reporting {
      let deferred = Deferred<Int>()
      // Keeps the promise going, and handles no rejection.
      deferred.promise.onFulfilled(on: context) { _ in }
      let kept = consumer.attach(to: deferred.promise, on: context, awaiting: executor)
      kept.promise?.cancel()
      kept.task?.cancel()
      executor.runUntilIdle()
      #expect(deferred.reject(TestError(1)))
      context.runUntilIdle()
    }
    // `tap` and `catch` stay: the first hands the duty to its promise, which nobody looks at; the second handles it.
    #expect(rejections.entries == (consumer == .catch ? [] : [.test(1)]))
  }

  @Test("Nothing is reported of a chain that was given up with an error of the client's", .rule("7.1"))
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
