import PromiseCore
import TestSupport
import Testing

/// Races of Tasks that wait. The test runs their executors, so each round is complete when its threads have ended.
extension Stress {
  @Suite("Races: Tasks that await")
  struct AwaitRaceTests {
    @Test("A Task that begins to wait as it is cancelled and its promise settles resumes once", .rule("4.7"))
    func waitCancelAndSettle() throws {
      try Duel.repeated { _ in
        let deferred = Deferred<Int>()
        let waiter = AwaitingTask(for: deferred.promise)
        return Duel([{ waiter.run() }, { waiter.task.cancel() }, { deferred.fulfill(1) }]) {
          try waiter.outcome() == 0
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
      .rule("4.9")
    )
    func pruneAndSettle() throws {
      let census = Tracked.Census()
      try Duel.repeated(Duel.manyRounds / 10) { _ in
        let deferred = Deferred<Int>()
        let waiters = (0..<80).map { _ in AwaitingTask(for: deferred.promise, capturing: Tracked(census)) }
        for waiter in waiters { waiter.run() }
        let (some, others) = (Array(waiters[..<36]), Array(waiters[36..<72]))
        let settled = Answer<Int>()
        let cancel: @Sendable ([AwaitingTask]) -> Void = { waiters in
          for waiter in waiters { waiter.task.cancel() }
          for waiter in waiters { waiter.run() }
        }
        return Duel([
          { cancel(some) }, { cancel(others) },
          {
            spin(300)
            deferred.fulfill(1)
            settled(1)
          },
        ]) {
          let outcomes = try waiters.map { try $0.outcome() }
          try #require(outcomes[72...].allSatisfy { $0 == 1 })
          return outcomes.filter { $0 == 0 }.count == 72
        }
      }
      #expect(census.living == 0)
    }

    @Test("A Task gets the value of a promise that is revived while it is collapsed", .rule("3.3", "4.7"))
    func collapse() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let (outer, inner) = (Deferred<Int>(), Deferred<Int>())
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
          try #require(held.promise.fulfilledValue == 2)
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
      let census = Tracked.Census()
      try Duel.repeated { _ in
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
      #expect(census.living == 0)
    }

    @Test("A waiting Task that is cancelled while its promise settles resumes once, with either outcome", .rule("4.7"))
    func cancelAndSettle() throws {
      let census = Tracked.Census()
      try Duel.repeated { _ in
        let deferred = Deferred<Int>()
        let waiter = AwaitingTask(for: deferred.promise, capturing: Tracked(census))
        waiter.run()
        return Duel {
          waiter.task.cancel()
        } second: {
          deferred.fulfill(1)
        } firstCameFirst: {
          try #require(deferred.promise.isFulfilled)
          let outcome = try waiter.outcome()
          try #require(outcome == 0 || outcome == 1)
          return outcome == 0
        }
      }
      #expect(census.living == 0)
    }
  }
}
