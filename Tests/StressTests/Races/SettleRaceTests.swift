import Foundation
import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: settlement")
  struct SettleRaceTests {
    enum Rival: CaseIterable, Sendable { case fulfil, reject, followSettled }

    @Test(
      "One of two simultaneous settlements wins, the other is reported, both see the outcome, and handlers run once",
      .rule("1.1", "1.3"),
      arguments: Rival.allCases)
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
            try #require(log.entries == [0, 1, 2])
            try #require(first.hasWon != second.hasWon)
            // The loser, too, because a settlement is one step.
            try #require(first.isSettled && second.isSettled)
            let isOne = promise.fulfilledValue == 1
            try #require(isOne == first.hasWon)
            try #require(!promise.isPending)
            return isOne
          }
        }
      }
      #expect(reports.withLock { $0 } == rounds)
    }

    @Test(
      "The owner's answer tells which outcome wins if it and the followed promise settle at the same time",
      .rule("1.3", "3.4"),
      arguments: [Rival.fulfil, .followSettled])
    func followedAndOwner(_ rival: Rival) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let inner = Deferred<Int>()
        let outer = Deferred<Int>()
        outer.follow(inner.promise)
        outer.promise.onSettled(on: context) { log.append((try? $0.get()) ?? -1) }
        return Duel {
          inner.fulfill(1)
        } second: {
          rival == .fulfil ? outer.fulfill(2) : outer.follow(.fulfilled(2))
        } results: { _, ownerWon in
          context.runUntilIdle()
          try #require(log.entries == [ownerWon ? 2 : 1])
          try #require(inner.promise.fulfilledValue == 1)
          return !ownerWon
        }
      }
    }

    @Test(
      "Either of two followed promises that settle at the same time wins, and both keep their own outcome", .rule("3.4")
    )
    func twoFollowed() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let inner = (Deferred<Int>(), Deferred<Int>())
        let outer = Deferred<Int>()
        outer.follow(inner.0.promise)
        outer.follow(inner.1.promise)
        outer.promise.map(on: context) { $0 * 10 }.onFulfilled(on: context) { log.append($0) }
        return Duel {
          inner.0.fulfill(1)
        } second: {
          inner.1.fulfill(2)
        } firstCameFirst: {
          context.runUntilIdle()
          let value = try? outer.promise.result?.get()
          try #require(value == 1 || value == 2)
          try #require(log.entries == [(value ?? 0) * 10])
          try #require(inner.0.promise.fulfilledValue == 1 && inner.1.promise.fulfilledValue == 2)
          return value == 1
        }
      }
    }

    @Test("A job that two threads run calls its handler once and settles the derived promise once", .rule("2.1"))
    func oneJobTwice() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let runner = Answer<ObjectIdentifier>()
        let derived = Promise.fulfilled(1).map(on: context) { value in
          log.append(value)
          runner(ObjectIdentifier(Thread.current))
          return value
        }
        let job = context.takeFirst()
        return Duel {
          job?.run()
          return ObjectIdentifier(Thread.current)
        } second: {
          job?.run()
        } results: { first, _ in
          try #require(log.entries == [1])
          try #require(derived.isFulfilled)
          return runner.value == first
        }
      }
    }

    @Test(
      "A promise whose job is run and dropped by two threads settles, fulfilled only if the handler has run",
      .rule("2.1", "6.2"))
    func runAndDropped() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let derived = Promise.fulfilled(1).map(on: context) { value in
          log.append(value)
          return value
        }
        return Duel {
          context.step()
        } second: {
          context.dropAll()
        } firstCameFirst: {
          try #require(!derived.isPending)
          try #require(derived.isFulfilled == (log.entries == [1]))
          return derived.isFulfilled
        }
      }
    }
  }
}
