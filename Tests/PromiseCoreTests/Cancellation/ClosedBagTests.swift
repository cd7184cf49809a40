import TestSupport
import Testing

@Suite("A bag that was closed", .leavingNothing, .rule("4.6")) struct ClosedBagTests {
  private struct SignedOut: Error {}

  private final class Session: CancelBagOwner, Sendable { let cancelBag = CancelBag() }

  private let context = ManualContext()
  private let bag = CancelBag()

  @Test("close cancels what is bound before it and after it, with its reason, and stops the work behind it")
  func close() {
    #expect(!bag.isClosed)
    let before = StoppableWork()
    let after = StoppableWork()
    let first = link(before.promise).bound(to: bag)
    bag.close(reason: TestError(1))
    #expect(bag.isClosed)
    let second = link(after.promise)
    #expect(second.bound(to: bag) === second)
    for promise in [first, second] {
      #expect(promise.isCancelled)
      #expect(promise.failure == .test(1))
    }
    #expect(before.isStopped)
    #expect(after.isStopped)
  }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("A closed bag leaves work going that another consumer wants", .rule("4.4"))
  func sharedWork() {
    let work = StoppableWork()
    let other = link(work.promise)
    bag.close()
    #expect(link(work.promise).bound(to: bag).isCancelled)
    #expect(work.goesOn)
    withExtendedLifetime(other) {}
  }

  @Test("A promise that was settled before it is bound to a closed bag keeps its value and its observers")
  func settledBefore() {
    let promise = Promise.fulfilled(1)
    let seen = Log<Int>()
    promise.onFulfilled(on: context) { seen.append($0) }
    bag.close()
    promise.bound(to: bag)
    context.runUntilIdle()
    #expect(promise.state.value == 1)
    #expect(seen.entries == [1])
  }

  @Test("bound(to:) of a closed bag runs the hooks of owners on its own thread before it returns", .rule("4.5"))
  func hooks() {
    let owner = Deferred<Int>()
    let hooks = Log<String>()
    owner.onCancel { reason in hooks.append("\(reason is CancellationError)") }
    owner.onEnd { _ in hooks.append("end") }
    bag.close()
    owner.promise.bound(to: bag)
    #expect(hooks.entries == ["true", "end"])
  }

  @Test("Only the first close counts, and cancelAll leaves the bag closed")
  func closedTwice() {
    bag.close(reason: TestError(1))
    bag.close(reason: TestError(2))
    bag.cancelAll(reason: TestError(3))
    let owner = Deferred<Int>()
    owner.promise.bound(to: bag)
    #expect(owner.promise.failure == .test(1))
  }

  @Test("whenFinished waits for the cleanup of a promise that was bound to a closed bag", .rule("2.11"))
  func finish() {
    let cleanup = Deferred<Void>()
    let owner = Deferred<Int>()
    bag.close()
    owner.promise.alwaysThen(on: context) { _ in cleanup.promise }.bound(to: bag)
    let finished = bag.whenFinished()
    context.runUntilIdle()
    #expect(finished.isPending)
    cleanup.fulfill()
    #expect(finished.isFulfilled)
  }

  @Test("A promise that one thread binds while another closes the bag is cancelled", .rule("4.3"))
  func overlappingCalls() async {
    for _ in 0..<200 {
      let bag = CancelBag()
      let owner = Deferred<Int>()
      async let closed: Void = Task.detached { bag.close() }.value
      owner.promise.bound(to: bag)
      await closed
      #expect(owner.promise.isCancelled)
    }
  }

  @Test("A closed bag says so")
  func description() {
    bag.close()
    #expect(bag.debugDescription == "CancelBag, closed, 0 pending")
  }

  @Test("The example of close cancels an upload that is begun too late")
  func example() {
    let session = Session()
    let draft = 1
    let work = StoppableWork()
    let upload: @Sendable (Int) -> Promise<Int> = { _ in work.promise }
    session.cancelBag.close(reason: SignedOut())
    upload(draft).bound(to: session)  // is cancelled at once, and the upload stops
    #expect(work.isStopped)
  }
}
