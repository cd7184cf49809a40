import TestSupport
import Testing

/// The last `size` steps of a loop, which a client retains.
private final class Ring: Sendable {
  private let promises = Locked<[Promise<Int>]>([])
  private let size: Int
  init(_ size: Int) { self.size = size }

  func keep(_ promise: Promise<Int>) {
    promises.withLock {
      $0.append(promise)
      if $0.count > size { $0.removeFirst() }
    }
  }

  var kept: [Promise<Int>] { promises.withLock { $0 } }
}

@Suite("Loops of adopted promises", .leavingNothing, .rule("3.3")) struct FollowedLoopTests {
  private let context = ManualContext()
  private let census = Tracked.Census()
  private let work = StoppableWork()

  /// Runs `count` steps of `b[i].then { step(i + 1) }`. The last step waits for a link of the work.
  private func loop(_ count: Int, keeping ring: Ring, isPending: Bool = false) -> Promise<Int> {
    @Sendable func step(_ number: Int) -> Promise<Int> {
      if number == count { return work.promise.map(on: context) { $0 } }
      let deferred = Deferred<Tracked>()
      if isPending {
        Promise.fulfilled(0).onFulfilled(on: context) { _ in deferred.fulfill(Tracked(census)) }
      } else {
        deferred.fulfill(Tracked(census))
      }
      let promise = deferred.promise.then(on: context) { _ in step(number + 1) }
      ring.keep(promise)
      return promise
    }
    let first = step(0)
    context.runUntilIdle()
    return first
  }

  @Test("A loop retains no values of its steps", .rule("6.1"), arguments: [0, 1, 10], [false, true])
  func ring(size: Int, isPending: Bool) {
    let ring = Ring(size)
    let first = loop(2_000, keeping: ring, isPending: isPending)
    #expect(first.isPending)
    #expect(census.living == 0)
    #expect(census.peak <= 4)
    #expect(ring.kept.count == size)
    #expect(ring.kept.allSatisfy { $0.isPending })
    work.deferred.fulfill(5)
    context.runUntilIdle()
    #expect(first.status == .fulfilled(5))
    #expect(ring.kept.allSatisfy { $0.status == .fulfilled(5) })
  }

  @Test("Cancelling the first promise of a loop stops its current step", .rule("4.2", "4.4"), arguments: [0, 10])
  func cancelFirst(size: Int) {
    let ring = Ring(size)
    let first = loop(2_000, keeping: ring)
    first.cancel()
    #expect(areCancelled([first]))
    // The only consumer of a step that a client retains is the step before it.
    #expect(work.isStopped)
    #expect(areCancelled(ring.kept))
  }

  @Test("Cancelling a retained step of a loop rejects the promises that wait for it", .rule("3.1"))
  func cancelStep() {
    let ring = Ring(10)
    let first = loop(2_000, keeping: ring)
    ring.kept[5].cancel(reason: TestError(7))
    #expect(first.isCancelled)
    #expect(first.status == .failed(7))
    #expect(work.isStopped)
  }

  @Test("A retained step with another consumer goes on when the first promise of the loop is cancelled", .rule("4.4"))
  func sharedStep() {
    let ring = Ring(10)
    let first = loop(100, keeping: ring)
    let other = ring.kept[5].map(on: context) { $0 }
    first.cancel(upstream: true)
    #expect(areCancelled([first]) && work.goesOn && ring.kept[5].isPending && other.isPending)
    other.cancel(upstream: true)
    #expect(work.isStopped)
  }
}

@Suite("Released steps of a loop", .leavingNothing) struct ReleasedStepTests {
  private struct WeakStep { weak var promise: Promise<Int>? }

  private let context = ManualContext()
  private let last = Deferred<Int>()
  private let steps = Locked<[WeakStep]>([])
  private let retained = Ring(10)

  /// Makes the promise of one step of a loop, of which the program retains the last ten. Or makes the promise of an
  /// owner that follows the step, which nothing else retains.
  private func step(_ number: Int, isFollowed: Bool) -> Promise<Int> {
    if number == 2_000 { return last.promise }
    let promise = Promise.fulfilled(number).then(on: context) { _ in step(number + 1, isFollowed: isFollowed) }
    steps.withLock { $0.append(WeakStep(promise: promise)) }
    if isFollowed {
      let owner = Deferred<Int>()
      owner.follow(promise)
      return owner.promise
    }
    retained.keep(promise)
    return promise
  }

  @Test("A long loop retains few promises that the program has released", .rule("3.3"), arguments: [false, true])
  func released(isFollowed: Bool) {
    let first = step(0, isFollowed: isFollowed)
    context.runUntilIdle()
    let living = steps.withLock { $0.count { $0.promise != nil } }
    #expect(first.isPending)
    #expect(living >= retained.kept.count)
    #expect(living <= 64)
    last.fulfill(5)
    context.runUntilIdle()
    #expect(first.status == .fulfilled(5))
  }
}
