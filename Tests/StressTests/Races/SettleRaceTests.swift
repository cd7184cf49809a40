import Foundation
import TestSupport
import Testing

extension Stress {
  @Suite("Races: settlement, by an owner, a job or the release of an owner")
  struct SettleRaceTests {
    enum Rival: CaseIterable, Sendable { case fulfil, reject, followSettled }

    @Test(
      "One of two simultaneous settlements wins, the other is reported, both see the outcome, and handlers run once",
      .rule("1.1", "1.3"), arguments: Rival.allCases)
    func settleAndSettle(_ rival: Rival) throws {
      let reports = Locked(0)
      let hook: @Sendable (SecondSettlement) -> Void = { _ in _ = reports.increment() }
      let rounds = try Diagnostics.scoped(secondSettlement: hook) {
        try Duel.repeated { _ in
          let context = ManualContext(isGrouping: true)
          let log = Log<Int>()
          let deferred = Deferred<Int>()
          let promise = deferred.promise
          for number in 0..<3 { promise.onSettled(on: context) { _ in log.append(number) } }
          return Duel {
            (hasWon: deferred.fulfill(1), isSettled: !promise.isPending)
          } second: {
            let hasWon =
              switch rival {
              case .fulfil: deferred.fulfill(2)
              case .reject: deferred.reject(TestError(2)) as Bool
              case .followSettled: deferred.follow(.fulfilled(2))
              }
            return (hasWon: hasWon, isSettled: !promise.isPending)
          } results: { first, second in
            context.runUntilIdle()
            try #require(log.entries == [0, 1, 2] && first.hasWon != second.hasWon)
            // The loser, too, because a settlement is one step.
            try #require(first.isSettled && second.isSettled)
            try #require((promise.state.value == 1) == first.hasWon)
            return first.hasWon
          }
        }
      }
      #expect(reports.withLock { $0 } == rounds)
    }

    @Test("A job that two threads run calls its handler once and settles the derived promise once", .rule("2.1"))
    func oneJobTwice() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let runner = Log<ObjectIdentifier>()
        let derived = Promise.fulfilled(1).map(on: context) { value in
          runner.append(ObjectIdentifier(Thread.current))
          return value
        }
        let job = context.takeFirst()
        return Duel {
          job?.run()
          return ObjectIdentifier(Thread.current)
        } second: {
          job?.run()
        } results: { first, _ in
          try #require(runner.entries.count == 1 && derived.isFulfilled)
          return runner.entries[0] == first
        }
      }
    }

    @Test("A job that two threads reject rejects the derived promise with one of the errors", .rule("2.1", "6.2"))
    func oneJobRejected() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let derived = Promise.fulfilled(1).map(on: context) { $0 }
        let job = context.takeFirst()
        return Duel([{ job?.reject(TestError(1)) }, { job?.reject(TestError(2)) }]) {
          try #require(derived.error as? TestError).number == 1
        }
      }
    }

    @Test(
      "A settlement through a weak reference either succeeds or finds the promise of the released owner broken",
      .rule("6.2"))
    func dropAndSettle() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Bool>()
        let (held, weakly, promise) = {
          let deferred = Deferred<Int>()
          return (Held(deferred), Weakly(deferred), deferred.promise)
        }()
        promise.onSettled(on: context) { log.append((try? $0.get()) == 1) }
        return Duel(held.drop(), against: weakly.object?.fulfill(1) ?? false) { _, isSettled in
          try #require(!promise.isPending && promise.isFulfilled == isSettled)
          context.runUntilIdle()
          try #require(log.entries == [isSettled])
          return !isSettled
        }
      }
    }

    @Test(
      "A following promise never breaks if its owner is released while the followed promise settles", .rule("6.2"),
      arguments: [1, 2])
    func dropFollowingAndSettle(followed: Int) throws {
      try Duel.repeated { _ in
        let inner = (0..<followed).map { _ in Deferred<Int>() }
        let (held, promise) = {
          let deferred = Deferred<Int>()
          for owner in inner { deferred.follow(owner.promise) }
          return (Held(deferred), deferred.promise)
        }()
        return Duel {
          held.drop()
          return promise.isPending
        } second: {
          inner.last?.fulfill(1)
        } results: { wasPending, _ in
          try #require(promise.state.value == 1)
          return wasPending
        }
      }
    }
  }
}
