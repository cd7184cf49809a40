import PromiseCore
import TestSupport
import Testing

@Suite("Released steps of a loop", .leavingNothing)
struct ReleasedStepTests {
  private struct WeakStep {
    weak var promise: Promise<Int>?
  }

  private let context = ManualContext()
  private let last = Deferred<Int>()
  private let steps = Locked<[WeakStep]>([])
  private let retained = Locked<[Promise<Int>]>([])

  /// Makes the promise of one step of a loop, or that of an owner that follows it. The program retains the promises of
  /// the last ten steps.
  private func step(_ number: Int, isFollowed: Bool) -> Promise<Int> {
    if number == 2_000 { return last.promise }
    let promise = Promise.fulfilled(number).then(on: context) { _ in step(number + 1, isFollowed: isFollowed) }
    steps.withLock { $0.append(WeakStep(promise: promise)) }
    retained.withLock {
      $0.append(promise)
      if $0.count > 10 { $0.removeFirst() }
    }
    if !isFollowed { return promise }
    let owner = Deferred<Int>()
    owner.follow(promise)
    return owner.promise
  }

  @Test(
    "A long loop retains only a few of the promises that the program has released", .rule("3.3"),
    arguments: [false, true])
  func released(isFollowed: Bool) {
    let first = step(0, isFollowed: isFollowed)
    context.runUntilIdle()
    let living = steps.withLock { $0.count { $0.promise != nil } }
    #expect(first.isPending && living >= 10 && living <= 64)
    last.fulfill(5)
    context.runUntilIdle()
    #expect(first.seen == .fulfilled(5))
  }
}
