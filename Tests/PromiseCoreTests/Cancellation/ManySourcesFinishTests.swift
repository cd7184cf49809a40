import TestSupport
import Testing

@Suite("The finish of a promise with several sources", .leavingNothing, .rule("2.11")) struct ManySourcesFinishTests {
  private let first = ManualContext()
  private let second = ManualContext()
  private let source = Deferred<Int>()

  /// Two links whose handlers a cancellation of the source runs, each on a context of its own.
  private func links() -> (Promise<Int>, Promise<Int>) {
    (source.promise.always(on: first) { _ in }, source.promise.always(on: second) { _ in })
  }

  @Test("A follower waits for each promise that it has followed and that is settled", arguments: [false, true])
  func follower(endsInOrder: Bool) {
    let owner = Deferred<Int>()
    let (one, other) = links()
    owner.follow(one)
    owner.follow(other)
    source.promise.cancel()
    #expect(owner.promise.isCancelled)
    #expect(!owner.promise.isFinished)
    (endsInOrder ? first : second).runUntilIdle()
    #expect(!owner.promise.isFinished)
    (endsInOrder ? second : first).runUntilIdle()
    #expect(owner.promise.isFinished)
  }

  @Test("A follower waits for each settled promise, even if it is settled by one that has finished")
  func followerOfFinished() {
    let owner = Deferred<Int>()
    let (one, _) = links()
    owner.follow(one)
    owner.follow(source.promise)
    source.promise.cancel()
    #expect(source.promise.isFinished)
    #expect(owner.promise.isCancelled)
    #expect(!owner.promise.isFinished)
    first.runUntilIdle()
    #expect(owner.promise.isFinished)
    second.runUntilIdle()
  }

  @Test("A promise that its owner fulfils has not finished before the settled promises that it has followed")
  func fulfilledFollower() {
    let owner = Deferred<Int>()
    let (one, other) = links()
    owner.follow(one)
    owner.follow(other)
    // The handler is released while the links are settled, and before these have passed their outcome on.
    source.promise.onFulfilled(on: first) { [atEnd = AtEnd { owner.fulfill(1) }] _ in withExtendedLifetime(atEnd) {} }
    source.promise.cancel()
    #expect(owner.promise.isFulfilled)
    first.runUntilIdle()
    #expect(!owner.promise.isFinished)
    second.runUntilIdle()
    #expect(owner.promise.isFinished)
  }

  @Test(
    "A promise that adopts or follows itself is rejected, and has finished", .rule("3.2"), arguments: [false, true])
  func itself(isFollowing: Bool) {
    let owner = Deferred<Int>()
    let own = Locked<Promise<Int>?>(nil)
    let link = source.promise.then(on: first) { _ in own.withLock { $0 } ?? .fulfilled(0) }
    own.withLock { $0 = link }
    let promise = isFollowing ? owner.promise : link
    if isFollowing { owner.follow(owner.promise) } else { source.fulfill(1) }
    first.runUntilIdle()
    #expect((promise.error as? PromiseError)?.code == .cycle)
    #expect(promise.isFinished)
    own.withLock { $0 = nil }
  }
}
