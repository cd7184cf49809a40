import TestSupport
import Testing

/// The owner's promise has one consumer and no client any more.
@Suite("Hooks of an owner that observes its clients", .leavingNothing, .rule("4.5")) struct UnobservedHookTests {
  private let context = ManualContext()
  private let owner = Deferred<Int>(cancelsWithoutClients: true)

  /// The way in which the owner's only consumer leaves.
  enum End: CaseIterable { case cancel, expire, fulfillFollower, settleOther }

  @Test("Hooks run after all settlements, however the last consumer leaves", .rule("4.6"), arguments: End.allCases)
  func order(_ end: End) {
    let follower = Deferred<Int>()
    let other = Deferred<Int>()
    let consumer: Promise<Int>
    switch end {
    case .cancel, .expire: consumer = owner.promise.map(on: context) { $0 }
    case .fulfillFollower:
      follower.follow(owner.promise)
      consumer = follower.promise
    case .settleOther:
      follower.follow(owner.promise)
      follower.follow(other.promise)
      consumer = follower.promise
    }
    let below = consumer.map(on: context) { $0 }
    let passed = consumer.shielded()
    let log = Log<[Bool]>()
    owner.onCancel(on: .atOnce) { _ in log.append([consumer, passed].map(\.isPending)) }
    #expect(log.entries.isEmpty)
    switch end {
    case .cancel: consumer.cancel()
    case .expire:
      consumer.timeOut(
        because: PromiseError.timedOut(createdAt: CreationSite(fileID: #fileID, line: #line)), givingUp: false)
    case .fulfillFollower: follower.fulfill(1)
    case .settleOther: other.fulfill(1)
    }
    #expect(log.entries == [[false, false]])
    context.runUntilIdle()
    #expect(!below.isPending)
  }

  @Test("Hooks receive the reason of the cancellation by which the last consumer leaves", .rule("4.6"))
  func reason() {
    let log = Log<Int?>()
    owner.onCancel { log.append(($0 as? TestError)?.number) }
    owner.promise.map(on: context) { $0 }.cancel(reason: TestError(7))
    #expect(log.entries == [7])
  }

  @Test(
    "A cancelled Task that was the last consumer cancels the promise, and the pool runs the hooks",
    .rule("4.6", "4.7"))
  func waiter() async throws {
    let executor = ManualExecutor()
    let log = Log<Int>()
    owner.onCancel(on: .atOnce) { _ in log.append(1) }
    // The Task waits for the owner's own promise. An optimised caller may do the same after it has released the
    // client's promise.
    let source = try #require(Mirror(reflecting: owner).descendant("source") as? Promise<Int>)
    let waiting = Waiting(for: source, on: executor)
    executor.runUntilIdle()
    _ = owner.promise
    #expect(log.entries.isEmpty)
    waiting.task.cancel()
    #expect(source.isCancelled)
    #expect(await waiting.resultsEventually(on: executor) == [.rejected(.cancellation)])
    #expect(log.entries == [1])
  }

  @Test("A cancel inside a hook finds the links of the consumer already cancelled", .rule("4.3"))
  func cancelInHook() {
    let consumer = owner.promise.map(on: context) { $0 }
    let below = consumer.map(on: context) { $0 }
    let log = Log<Bool>()
    owner.onCancel { _ in
      consumer.cancel()
      log.append(below.isCancelled)
    }
    consumer.cancel()
    #expect(log.entries == [true])
  }

  @Test("The call that detaches the last observer schedules the hooks", .rule("4.6", "4.9"))
  func detached() {
    let log = Log<Int>()
    owner.onCancel(on: .atOnce) { _ in log.append(1) }
    // The observer retains the promise of the owner and not that of the clients.
    let observer = owner.promise.attachObserver(on: context, handling: [.value, .error]) { _, _ in .nothing }
    #expect(log.entries.isEmpty)
    observer.detach()
    #expect(log.entries == [1])
  }
}
