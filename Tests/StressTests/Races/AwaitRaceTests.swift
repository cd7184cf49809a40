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
        let (shared, adopter) = (Deferred<Int>(), Deferred<Int>())
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
        let (some, others) = (Array(waiters[..<36]), Array(waiters[36..<72]))
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

    @Test("A Task gets the value of a promise that is revived while it is collapsed", .rule("3.3", "4.7"))
    func collapse() throws {
      try Duel.repeated { _ in
        let (context, outer, inner) = (ManualContext(), Deferred<Int>(), Deferred<Int>())
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
      try Duel.leavingNothing { _, census in
        let (deferred, log, payload) = (Deferred<Int>(), Log<Int>(), Tracked(census))
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
