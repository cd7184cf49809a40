import TestSupport
import Testing

/// Races of Tasks that wait. The test runs their executors, so each round is complete when its threads have ended.
extension Stress {
  @Suite("Races: Tasks that await")
  struct AwaitRaceTests {
    @Test(
      "A Task that waits or begins to wait resumes once, with either outcome, if cancelled as its promise settles",
      .rule("4.7"), arguments: [true, false])
    func cancelAndSettle(isWaiting: Bool) throws {
      try Duel.leavingNothing { _, census in
        let deferred = Deferred<Int>()
        let waiter = AwaitingTask(for: deferred.promise, capturing: Tracked(census))
        var sides: [@Sendable () -> Void] = [{ waiter.task.cancel() }, { deferred.fulfill(1) }]
        if isWaiting { waiter.run() } else { sides.insert({ waiter.run() }, at: 0) }
        return Duel(sides) {
          try #require(deferred.promise.isFulfilled)
          let outcome = try waiter.outcome()
          try #require(outcome == 0 || outcome == 1)
          return outcome == 0
        }
      }
    }

    @Test("A Task that begins to wait while it is cancelled leaves the count of consumers correct", .rule("4.7"))
    func waitAndCancel() throws {
      try Duel.repeated { _ in
        let shared = Deferred<Int>()
        let adopter = Deferred<Int>()
        adopter.follow(shared.promise)
        let waiter = AwaitingTask(for: shared.promise)
        return Duel {
          waiter.run()
          return waiter.log.entries.isEmpty
        } second: {
          waiter.task.cancel()
        } results: { waits, _ in
          try #require(waiter.outcome() == 0)
          try #require(shared.promise.isPending)
          adopter.promise.cancel()
          try #require(shared.promise.isCancelled)
          return waits
        }
      }
    }

    @Test(
      "Waiters that two threads cancel are pruned while their promise settles, and the other waiters get its value",
      .rule("4.9"))
    func pruneAndSettle() throws {
      try Duel.leavingNothing(Duel.manyRounds / 10) { _, census in
        let deferred = Deferred<Int>()
        let waiters = (0..<80).map { _ in AwaitingTask(for: deferred.promise, capturing: Tracked(census)) }
        for waiter in waiters { waiter.run() }
        let some = Array(waiters[..<36])
        let others = Array(waiters[36..<72])
        let cancel: @Sendable ([AwaitingTask]) -> Void = { waiters in
          for waiter in waiters { waiter.task.cancel() }
          for waiter in waiters { waiter.run() }
        }
        let settle: @Sendable () -> Void = {
          spin(300)
          deferred.fulfill(1)
        }
        return Duel([{ cancel(some) }, { cancel(others) }, settle]) {
          let outcomes = try waiters.map { try $0.outcome() }
          try #require(outcomes[72...].allSatisfy { $0 == 1 })
          return outcomes.filter { $0 == 0 }.count == 72
        }
      }
    }

    @Test(
      "A promise is settled when task.cancel() returns, whether the Task waits or begins to wait", .rule("4.7"),
      arguments: [true, false])
    func giveUp(isWaiting: Bool) throws {
      try Duel.repeated { _ in
        let owner = Deferred<Int>()
        let context = ManualContext()
        let promise = owner.promise.map(on: context) { $0 }
        let waiter = AwaitingTask(for: promise, cancelsSource: true)
        if isWaiting { waiter.run() }
        return Duel {
          waiter.run()
          return owner.fulfill(1)
        } second: {
          waiter.task.cancel()
          return !isWaiting || promise.isCancelled
        } results: { isFulfilled, isSettled in
          try #require(isSettled)
          waiter.runToEnd()
          try #require(waiter.outcome() == 0)
          try #require(promise.isCancelled)
          try #require(owner.promise.isCancelled == !isFulfilled)
          withExtendedLifetime(context) {}
          return isFulfilled
        }
      }
    }

    /// How the promise for which the Task waits is made from its sources.
    enum Making: CaseIterable, Sendable {
      case map, followShields

      fileprivate func promise(from sources: [Promise<ReleaseNotice>]) -> Promise<ReleaseNotice> {
        if self == .map { return sources[0] }
        let follower = Deferred<ReleaseNotice>()
        for source in sources { follower.follow(source.shielded()) }
        return follower.promise
      }
    }

    @Test(
      "task.cancel() releases no value of a source that another thread settles and releases at this moment",
      .rule("4.7", "6.5"), arguments: Making.allCases)
    func releases(_ making: Making) throws {
      let wrongReleases = Locked(0)
      try Duel.repeated { _ in
        let context = ManualContext()
        let owners = (0..<(making == .map ? 1 : 32)).map { _ in Held(Deferred<ReleaseNotice>()) }
        let promise = making.promise(from: owners.compactMap { $0.object?.promise }).map(on: context) { _ in 1 }
        let waiter = AwaitingTask(for: promise, cancelsSource: true)
        waiter.run()
        return Duel {
          let isFirst = owners.last?.object != nil
          ReleaseNotice.$isInsideCancel.withValue(true) { waiter.task.cancel() }
          return isFirst
        } second: {
          for owner in owners.reversed() { owner.take()?.fulfill(ReleaseNotice(wrongReleases)) }
        } results: { isFirst, _ in
          waiter.runToEnd()
          withExtendedLifetime(context) {}
          return isFirst
        }
      }
      #expect(wrongReleases.withLock { $0 } == 0)
    }

    @Test("A Task gets the value of a promise that is revived while it is collapsed", .rule("3.3", "4.7"))
    func collapse() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let outer = Deferred<Int>()
        let inner = Deferred<Int>()
        let (held, weakly) = {
          let middle = outer.promise.then(on: context) { _ in inner.promise }
          return (Deferred<Int>(), (middle, Weakly(middle)))
        }()
        held.follow(weakly.0)
        let revived = weakly.1
        outer.fulfill(1)
        return Duel {
          context.runUntilIdle()
        } second: { () -> AwaitingTask? in
          guard let promise = revived.object else { return nil }
          let late = AwaitingTask(for: promise)
          late.run()
          return late
        } results: { _, waiter in
          inner.fulfill(2)
          try #require(held.promise.state.value == 2)
          guard let waiter else { return true }
          try #require(waiter.outcome() == 2)
          return false
        }
      }
    }

    @Test(
      "An observer that is detached while its promise settles has either run or released its captures", .rule("4.9"),
      arguments: [false, true])
    func detachAndSettle(isOnContext: Bool) throws {
      let context = ManualContext()
      try Duel.leavingNothing { _, census in
        let deferred = Deferred<Int>()
        let log = Log<Int>()
        let payload = Tracked(census)
        let observer = deferred.promise.attachObserver(
          on: isOnContext ? context : nil, handling: [.value, .error]
        ) { _, _ in
          withExtendedLifetime(payload) { log.append(1) }
          return .nothing
        }
        return Duel {
          observer.detach()
        } second: {
          deferred.fulfill(1)
          context.runUntilIdle()
        } results: { isDetached, _ in
          try #require(log.entries.count == (isDetached ? 0 : 1))
          return isDetached
        }
      }
    }
  }
}

/// Counts the releases by a thread that is inside a call of `cancel`.
private final class ReleaseNotice: Sendable {
  @TaskLocal static var isInsideCancel = false
  private let count: Locked<Int>

  init(_ count: Locked<Int>) { self.count = count }

  deinit { if Self.isInsideCancel { count.withLock { $0 += 1 } } }
}
