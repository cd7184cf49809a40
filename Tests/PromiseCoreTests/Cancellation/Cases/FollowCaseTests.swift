import PromiseCore
import TestSupport
import Testing

@Suite("Cancellation of owners that follow promises", .leavingNothing)
struct FollowCaseTests {
  private let context = ManualContext()
  private let census = Tracked.Census()
  private let first = StoppableWork()
  private let second = StoppableWork()
  private let follower = Deferred<Int>()
  private let hooks = Log<Failure>()

  init() {
    follower.onCancel { [hooks, tracked = Tracked(census)] reason in
      withExtendedLifetime(tracked) { hooks.append(Failure(reason)) }
    }
  }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test(
    "A follower of a cancelled promise is marked cancelled, drops its hooks and lets its links recover",
    .rule("3.1", "4.0", "4.5"), arguments: CancelForm.allCases)
  func followedIsCancelled(_ form: CancelForm) {
    follower.follow(first.promise)
    let recovered = follower.promise.recover(on: context) { _ in 0 }
    form.apply(to: first.promise)
    #expect(areCancelled([follower.promise]) && recovered.isPending)
    #expect(census.living == 0 && hooks.entries.isEmpty)
    context.runUntilIdle()
    #expect(recovered.seen == .fulfilled(0) && hooks.entries.isEmpty && first.isStopped)
  }

  @Test("Giving up a follower runs its hooks before those of the promise that it follows", .rule("3.1", "4.4", "4.5"))
  func hookOrder() {
    let order = Log<Int>()
    follower.onCancel { _ in order.append(1) }
    first.deferred.onCancel { _ in order.append(2) }
    follower.follow(link(first.promise))
    link(follower.promise).cancel(reason: TestError(7), upstream: true)
    #expect(first.isStopped && first.reasonNumbers == [7] && hooks.entries == [.test(7)])
    #expect(order.entries == [1, 2])
  }

  @Test(
    "The first of several followed promises to be cancelled settles the follower, and the others go on", .rule("3.4"))
  func oneIsCancelled() {
    let other = link(first.promise)
    follower.follow(first.promise)
    follower.follow(second.promise)
    second.promise.cancel(upstream: true)
    #expect(areCancelled([follower.promise]) && second.isStopped)
    #expect(first.goesOn && hooks.entries.isEmpty && census.living == 0)
    // The follower is no longer a consumer of the first promise either.
    other.cancel(upstream: true)
    #expect(first.isStopped)
  }

  @Test("A followed promise that lost goes on, even without a consumer", .rule("3.4", "4.8"), arguments: [true, false])
  func loserGoesOn(isFulfilled: Bool) {
    follower.follow(first.promise)
    follower.follow(second.promise)
    if isFulfilled { second.deferred.fulfill(2) } else { second.deferred.reject(TestError(2)) }
    #expect(follower.promise.seen == (isFulfilled ? .fulfilled(2) : .failed(2)) && first.goesOn)
    follower.promise.cancel(upstream: true)
    #expect(first.goesOn)
    link(first.promise).cancel(upstream: true)
    #expect(first.isStopped)
  }

  @Test(
    "A cancelled follower gives up all promises that it follows", .rule("3.4", "4.4"), arguments: CancelForm.allCases)
  func followerIsCancelled(_ form: CancelForm) {
    let shared = StoppableWork()
    let other = link(shared.promise)
    for promise in [first.promise, link(second.promise), link(shared.promise)] { follower.follow(promise) }
    form.apply(to: follower.promise)
    #expect(first.isStopped && second.isStopped && shared.goesOn && other.isPending)
    #expect(hooks.entries == [.cancellation])
  }

  @Test(
    "Following a promise after the follower was cancelled gives that promise up", .rule("3.1", "4.4"),
    arguments: CancelForm.allCases)
  func followedLate(_ form: CancelForm) {
    let shared = StoppableWork()
    let other = link(shared.promise)
    form.apply(to: follower.promise)
    #expect(!follower.follow(link(first.promise)))
    #expect(first.isStopped)
    #expect(!follower.follow(shared.promise))
    #expect(shared.goesOn && other.isPending)
  }

  @Test("A promise that is followed too late is given up with the reason of the follower", .rule("3.1", "4.4"))
  func followedLateReason() {
    follower.promise.cancel(reason: TestError(7))
    #expect(!follower.follow(first.promise))
    #expect(first.isStopped && first.reasonNumbers == [7])
  }

  @Test("Following a promise after any other settlement leaves that promise alone", .rule("3.1"), arguments: 0..<4)
  func followedAfterSettlement(kind: Int) {
    switch kind {
    case 0: follower.fulfill(1)
    case 1: follower.reject(TestError(1))
    // A rejection that has the mark is not a cancellation of the follower (rule 1.2).
    case 2: follower.reject(CancellationError())
    default: follower.follow(.fulfilled(1))
    }
    #expect(!follower.follow(first.promise))
    #expect(first.goesOn)
    #expect(!follower.follow(link(second.promise)))
    #expect(second.goesOn)
  }

  @Test("A follower counts as a consumer of each promise that it follows", .rule("3.4", "4.0", "4.4"))
  func counted() {
    follower.follow(first.promise)
    follower.follow(second.promise)
    link(first.promise).cancel(upstream: true)
    link(second.promise).cancel(upstream: true)
    #expect(first.goesOn && second.goesOn)
    link(follower.promise).cancel(upstream: true)
    #expect(first.isStopped && second.isStopped)
  }

  @Test(
    "A promise that is followed twice is given up when its follower is cancelled", .rule("3.4", "4.4"),
    arguments: CancelForm.allCases)
  func followedTwice(_ form: CancelForm) {
    follower.follow(first.promise)
    follower.follow(first.promise)
    form.apply(to: follower.promise)
    #expect(first.isStopped)
  }

  @Test("An owner's rejection with CancellationError is an ordinary rejection", .rule("1.2"))
  func ownersCancellation() {
    let recovered = follower.promise.recover(on: context) { _ in 0 }
    let marked = link(follower.promise)
    follower.reject(CancellationError())
    #expect(areCancelled([follower.promise, marked]) && hooks.entries.isEmpty && census.living == 0)
    context.runUntilIdle()
    #expect(recovered.seen == .fulfilled(0))
  }

  @Test("An owner that rejects its promise does not give up the promise that it follows", .rule("1.2", "3.4"))
  func rejectingOwner() {
    follower.follow(first.promise)
    follower.reject(CancellationError())
    #expect(follower.promise.isCancelled && first.goesOn)
  }
}
