import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  /// Races that fail only if a thread gets in between a few instructions of another thread. Each test runs many
  /// meetings with slightly different offsets. Most do not count which side comes first.
  @Suite("Races: windows of a few instructions")
  struct NarrowRaceTests {
    /// The number of meetings in a row, for which all objects are made in advance.
    private static let inARow = 500
    private static let rows = Effort.rounds / 100

    /// Calls both closures for each subject at the same time. In turn, no side or one of them is delayed by up to
    /// `most` turns of a loop.
    private func meet<Subject: Sendable>(
      _ subjects: [Subject], apart most: Int = 40, _ first: @escaping @Sendable (Subject) -> Void,
      and second: @escaping @Sendable (Subject) -> Void
    ) {
      let duels = subjects.map { subject in Duel([{ first(subject) }, { second(subject) }]) { nil } }
      Duel.fight(duels, rounds: Array(duels.indices), delay: most)
    }

    @Test(
      "A link settled by a cancel or timeout as its source is fulfilled stays below it if it was seen to wait",
      .rule("4.0", "4.2"), arguments: [true, false])
    func sourceSettledMeanwhile(timesOut: Bool) {
      let error = PromiseError.timedOut(createdAt: CreationSite(fileID: #fileID, line: #line))
      var metCount = 0
      var row = 0
      // Goes on until the sides have met in the window.
      while row < Self.rows || metCount == 0 && row < 1_000 {
        row += 1
        let context = ManualContext()
        let all = (0..<Self.inARow).map { _ in
          let owner = Deferred<Int>()
          return (owner: owner, target: owner.promise.map(on: context) { $0 }, below: Log<Promise<Int>>())
        }
        meet(all) {
          if timesOut { $0.target.timeOut(because: error, givingUp: false) } else { $0.target.cancel(reason: error) }
        } and: {
          $0.owner.fulfill(1)
          guard $0.target.parent != nil else { return }
          $0.below.append($0.target.recover(on: context) { _ in 0 })
          $0.owner.promise.cancel()
        }
        // The first side has settled the link, and the second has seen it wait.
        metCount += all.count { !$0.below.entries.isEmpty && $0.target.failure?.code == .timedOut }
        #expect(all.allSatisfy { $0.below.entries.allSatisfy { $0.isCancelled } })
      }
      #expect(metCount > 0)
    }

    /// Gives each job to a thread that asks for it, as soon as it is scheduled.
    private final class Handover: ExecutionContext {
      private let jobs = Locked<[Job]>([])

      var isEmpty: Bool { jobs.withLock(\.isEmpty) }

      func schedule(_ job: consuming Job) {
        let job = job
        jobs.withLock { $0.append(job) }
      }

      /// Returns `false` if there is no job.
      func runJob() -> Bool {
        guard let job = jobs.withLock({ $0.popLast() }) else { return false }
        job.run()
        return true
      }
    }

    /// A promise in several bags, with an observer that is attached after the first bag.
    private struct InBags: Sendable {
      let owner = Deferred<Int>()
      let bags = [CancelBag(), CancelBag(), CancelBag()]
      let context = Handover()

      init() {
        owner.promise.bound(to: bags[0])
        owner.promise.onFulfilled(on: context) { _ in }
        for bag in bags.dropFirst() { owner.promise.bound(to: bag) }
      }
    }

    @Test(
      "A promise leaves all its bags if its observer runs or is taken back while the promise is being settled",
      .rule("4.6", "8.1"), arguments: [true, false])
    func observedInBags(isTakenBack: Bool) {
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow).map { _ in InBags() }
        meet(all) {
          $0.owner.fulfill(1)
        } and: {
          if isTakenBack {
            while $0.context.isEmpty {}
            $0.owner.promise.cancel()
          } else {
            while !$0.context.runJob() {}
          }
        }
        #expect(all.allSatisfy { $0.bags.allSatisfy { $0.debugDescription == "CancelBag, 0 pending" } })
        for scene in all { _ = scene.context.runJob() }
      }
    }

    /// The only reference to a promise in a bag, whose cleanup goes on after its cancellation.
    private struct OnlyInBag: Sendable {
      let owner = Locked<Deferred<Int>?>(Deferred())
      let cleanup = Deferred<Void>()
      let bag = CancelBag()
      let waits = Log<Promise<Void>>()
      /// A look at the bag takes as long as there are other promises in it.
      let others = (0..<100).map { _ in Deferred<Int>() }

      init() {
        for other in others { other.promise.bound(to: bag) }
        let owner = owner.withLock(\.self)
        owner?.onCancelThen { [cleanup] _ in cleanup.promise }
        owner?.promise.bound(to: bag)
      }
    }

    @Test("A bag waits for a promise that is cancelled and deallocated at the same moment", .rule("2.11"))
    func deallocatedInBag() {
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow / 5).map { _ in OnlyInBag() }
        meet(all) {
          let owner = $0.owner.withLock { $0.take() }
          owner?.promise.cancel()
        } and: {
          $0.waits.append($0.bag.whenFinished())
        }
        for other in all.flatMap(\.others) { other.fulfill(1) }
        #expect(all.allSatisfy { $0.waits.entries.allSatisfy(\.isPending) })
        for scene in all { scene.cleanup.fulfill() }
        #expect(all.allSatisfy { $0.waits.entries.allSatisfy(\.isFulfilled) })
      }
    }

    /// A promise whose work has not stopped when it is cancelled, and one that waits for it.
    private struct Waiting: Sendable {
      let work = Deferred<Int>()
      let stopped = Deferred<Void>()
      let result: Promise<Int>

      init(_ shape: Shape) {
        let work = work
        let stopped = stopped.promise
        work.onCancelThen { _ in stopped }
        switch shape {
        case .follower:
          let follower = Deferred<Int>()
          follower.follow(work.promise)
          result = follower.promise
        case .link: result = work.promise.map { $0 }
        case .adopter: result = Promise.fulfilled(0).then(on: InlineContext.shared) { _ in work.promise }
        case .input: result = Promise.all([work.promise]).map { $0[0] }
        }
      }
    }

    enum Shape: CaseIterable { case follower, link, adopter, input }

    @Test(
      "A promise does not finish before the one that it waits for, if both are cancelled at the same moment",
      .rule("2.11"), arguments: Shape.allCases)
    func finishTogether(_ shape: Shape) {
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow).map { _ in Waiting(shape) }
        meet(all) {
          $0.work.promise.cancel()
        } and: {
          $0.result.cancel(upstream: true)
        }
        let early = all.filter(\.result.isFinished)
        #expect(early.isEmpty)
        for one in all { one.stopped.fulfill(()) }
        let late = all.filter { !$0.result.isFinished }
        #expect(late.isEmpty)
      }
    }

    /// Covers a hang in debug builds. The canceller counts a reference to the link for a moment. If that reference
    /// becomes the last, `deinit` must not wait for the canceller.
    @Test("A promise settles if it is cancelled as its handler for an adoption is dropped", .rule("4.4", "6.2"))
    func adoptingHandlerDropped() {
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow).map { _ in
          let context = ManualContext()
          return (context: context, target: Promise.fulfilled(0).then(on: context) { Promise.fulfilled($0) })
        }
        meet(all, apart: 2_000) {
          $0.target.cancel()
        } and: {
          $0.context.dropAll()
        }
        #expect(all.allSatisfy { $0.target.isRejected })
      }
    }

    @Test(
      "Earlier observers see progress 1 before the value even if an observer is attached as the promise is fulfilled",
      .rule("5.2", "6.3"))
    func elderObserver() {
      for _ in 0..<5 * Self.rows {
        let all = (0..<Self.inARow).map { _ in (owner: Deferred<Int>(), context: ManualContext(), log: Log<String>()) }
        for one in all {
          one.owner.promise.onProgress(on: one.context) { [log = one.log] in log.append("\($0)") }
          one.owner.promise.onFulfilled(on: one.context) { [log = one.log] _ in log.append("value") }
        }
        let elsewhere = ManualContext()
        let census = Tracked.Census()
        meet(all) {
          $0.owner.promise.onProgress(on: elsewhere) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {}
          }
        } and: {
          $0.owner.fulfill(1)
        }
        for one in all { one.context.runUntilIdle() }
        elsewhere.runUntilIdle()
        #expect(all.allSatisfy { $0.log.entries == ["1.0", "value"] })
        #expect(census.living == 0, "the late observers are left")
      }
    }

    /// A promise that is not retained, whose only consumer is `outer`, and whose handler is about to return `inner`.
    private struct Dissolution: Sendable {
      let context = ManualContext()
      let source = Promise.fulfilled(1)
      let inner = Deferred<Tracked>()
      let outer: Promise<Tracked>
      let other: Promise<Tracked>

      init() {
        other = inner.promise.tap(on: context) { _ in }
        outer = Promise.fulfilled(1).then(on: context) { [context, source, inner = inner.promise] _ in
          source.then(on: context) { _ in inner }
        }
        context.step()
      }
    }

    @Test(
      "A promise adopted during a cancel is spared if it has other consumers, and is deallocated later",
      .rule("3.3", "4.2", "6.1"), arguments: [false, true])
    func dissolution(isSourceCancelled: Bool) {
      let census = Tracked.Census()
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow).map { _ in Dissolution() }
        meet(all) {
          isSourceCancelled ? $0.source.cancel() : $0.outer.cancel()
        } and: {
          $0.context.step()
        }
        #expect(all.allSatisfy { $0.inner.promise.isPending && $0.other.isPending })
        for one in all {
          one.inner.fulfill(Tracked(census))
          one.context.runUntilIdle()
        }
        #expect(all.allSatisfy { $0.other.isFulfilled && !$0.outer.isPending })
      }
      #expect(census.living == 0, "a promise is left, with its value")
    }

    /// An owner that follows two promises.
    private struct Following: Sendable {
      let followed = [Deferred<Int>(), Deferred<Int>()]
      let deferred = Deferred<Int>()

      init() { for each in followed { deferred.follow(each.promise) } }
    }

    @Test(
      "A promise that is cancelled while a followed promise settles cancels the other followed promise",
      .rule("3.4", "4.4"), arguments: [0, 1])
    func following(first: Int) {
      for _ in 0..<5 * Self.rows {
        let all = (0..<Self.inARow).map { _ in Following() }
        meet(all) {
          $0.deferred.promise.cancel()
        } and: {
          $0.followed[first].fulfill(1)
        }
        let cancelled = all.filter { $0.deferred.promise.isCancelled }
        #expect(cancelled.allSatisfy { $0.followed[1 - first].promise.isCancelled })
        #expect(all.count { $0.followed[1 - first].promise.isCancelled } == cancelled.count)
      }
    }

    @Test(
      "A promise that an owner follows as its own promise is cancelled is given up unless it settles first",
      .rule("3.1", "4.4"))
    func followingLate() {
      for _ in 0..<5 * Self.rows {
        let all = (0..<Self.inARow).map { _ in
          (deferred: Deferred<Int>(), other: Deferred<Int>(), follows: Answer<Bool>(), fulfils: Answer<Bool>())
        }
        meet(all) {
          $0.deferred.promise.cancel()
          // This settlement comes before or after the late follower gives the other promise up.
          $0.fulfils($0.other.fulfill(1))
        } and: {
          $0.follows($0.deferred.follow($0.other.promise))
        }
        let following = all.filter { $0.follows.value == true }
        #expect(following.allSatisfy { $0.other.promise.isCancelled && $0.fulfils.value == false })
        let late = all.filter { $0.follows.value == false }
        #expect(following.count + late.count == all.count)
        #expect(late.allSatisfy { $0.fulfils.value == $0.other.promise.isFulfilled })
        #expect(late.allSatisfy { $0.other.promise.isFulfilled != $0.other.promise.isCancelled })
      }
    }

    /// The last link of a chain whose other promises are not retained. The outcome of the second promise is about to
    /// pass through the third.
    private struct Passing: Sendable {
      let context = ManualContext()
      let later = ManualContext()
      let last: Promise<Int>

      init() { last = Promise.fulfilled(1).map(on: context) { $0 }.catch(on: context) { _ in }.map(on: later) { $0 } }
    }

    @Test(
      "A cancel of the root reaches the last link of a chain even as an outcome passes through the chain",
      .rule("4.2", "4.3"))
    func passing() {
      for _ in 0..<5 * Self.rows {
        let all = (0..<Self.inARow).map { _ in Passing() }
        meet(all) {
          $0.last.root.cancel()
        } and: {
          $0.context.step()
        }
        #expect(all.allSatisfy { $0.last.isCancelled })
      }
    }
  }
}
