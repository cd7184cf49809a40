import TestSupport
import Testing

@Suite("The finish of the promises in a bag", .leavingNothing, .rule("2.11")) struct BagFinishTests {
  private let context = ManualContext()
  private let bag = CancelBag()

  /// A promise in the bag that no client retains, and whose cleanup goes on until the test ends it.
  private struct Work {
    let owner = Deferred<Int>()
    let cleanup = Deferred<Void>()

    init(in bag: CancelBag, on context: ManualContext) {
      owner.promise.alwaysThen(on: context) { [cleanup] _ in cleanup.promise }.bound(to: bag)
    }
  }

  /// How the promises in the bag are settled.
  enum Ending: CaseIterable, Sendable { case bag, otherClient, releasedBag }

  @Test(
    "whenFinished is fulfilled when all promises have finished, however they were settled",
    arguments: Ending.allCases)
  func finish(_ ending: Ending) {
    var bag: CancelBag? = CancelBag()
    let works = (0..<3).compactMap { _ in bag.map { Work(in: $0, on: context) } }
    let before = bag?.whenFinished()
    switch ending {
    case .bag: bag?.cancelAll()
    case .otherClient: for work in works { work.owner.promise.cancel() }
    case .releasedBag: bag = nil
    }
    context.runUntilIdle()
    let after = bag?.whenFinished()
    for work in works {
      #expect(before?.isPending == true)
      #expect(after?.isPending != false)
      work.cleanup.fulfill()
    }
    #expect(before?.isFulfilled == true)
    #expect(after?.isFulfilled != false)
    #expect(bag?.whenFinished().isFulfilled != false)
  }

  @Test("A call while the bag cancels a promise waits for that promise")
  func insideCancelAll() {
    let owner = Deferred<Int>()
    let cleanup = Deferred<Void>()
    let found = Log<Promise<Void>>()
    let work = owner.promise.alwaysThen(on: context) { _ in cleanup.promise }
    // Its context gets the job before the bag learns that the promise is settled.
    work.onRejected(on: CallingContext { [bag] in found.append(bag.whenFinished()) }) { _ in }
    work.bound(to: bag)
    bag.cancelAll()
    context.runUntilIdle()
    #expect(found.entries.map(\.isPending) == [true])
    cleanup.fulfill()
    #expect(found.entries.map(\.isFulfilled) == [true])
  }

  @Test("Without cancelAll, whenFinished waits for what is pending, and stops nothing", .rule("4.0"))
  func pending() {
    let owner = Deferred<Int>()
    owner.promise.bound(to: bag)
    let finish = bag.whenFinished()
    #expect(owner.promise.isPending)
    #expect(finish.isPending)
    owner.fulfill(1)
    #expect(finish.isFulfilled)
  }

  @Test("An empty bag has finished, and what is bound later does not count")
  func boundLater() {
    #expect(bag.whenFinished().isFulfilled)
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    first.promise.bound(to: bag)
    let finish = bag.whenFinished()
    second.promise.bound(to: bag)
    first.fulfill(1)
    #expect(finish.isFulfilled)
    #expect(bag.whenFinished().isPending)
    second.fulfill(2)
  }

  @Test("A promise that was settled when it was bound does not count, even if it has not finished")
  func settledBefore() {
    let owner = Deferred<Int>()
    let cleanup = Deferred<Void>()
    let work = owner.promise.alwaysThen(on: context) { _ in cleanup.promise }
    work.cancel()
    context.runUntilIdle()
    work.bound(to: bag)
    #expect(!work.isFinished)
    #expect(bag.whenFinished().isFulfilled)
    let other = Deferred<Int>()
    other.promise.bound(to: bag)
    let finish = bag.whenFinished()
    other.fulfill(1)
    #expect(finish.isFulfilled)
    #expect(!work.isFinished)
    cleanup.fulfill()
    #expect(work.isFinished)
  }

  @Test("Cancelling the returned promise stops nothing", arguments: CancelForm.allCases)
  func cancelled(_ form: CancelForm) {
    let work = Work(in: bag, on: context)
    let finish = bag.whenFinished()
    let other = bag.whenFinished()
    form.apply(to: finish)
    #expect(work.owner.promise.isPending)
    #expect(other.isPending)
    bag.cancelAll()
    context.runUntilIdle()
    work.cleanup.fulfill()
    #expect(other.isFulfilled)
    #expect(finish.isCancelled)
  }

  @Test("A settled promise that has not finished has left the bag, which cancels nothing below it", .rule("4.6"))
  func leavesBag() {
    let owner = Deferred<Int>()
    let cleanup = Deferred<Void>()
    let work = owner.promise.alwaysThen(on: context) { _ in cleanup.promise }.bound(to: bag)
    work.cancel()
    let later = work.recover(on: context) { _ in 1 }
    bag.cancelAll()
    context.runUntilIdle()
    #expect(later.status == .fulfilled(1))
    cleanup.fulfill()
    #expect(bag.whenFinished().isFulfilled)
  }

  @Test("A shutdown waits for the closure of a Task that ignores its cancellation")
  func shutdown() throws {
    try TestWorld.run { world in
      let body = StubbornBody()
      Promise.task { await body() }.bound(to: bag)
      world.runUntilIdle()
      bag.cancelAll()
      let stopped = bag.whenFinished()
      world.runUntilIdle()
      #expect(stopped.isPending)
      body.end()
      world.runUntilIdle()
      #expect(stopped.isFulfilled)
    }
  }
}
