import Foundation
import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: settlement")
  struct SettleRaceTests {
    enum Rival: CaseIterable, Sendable { case fulfil, reject, followSettled }

    @Test(
      "Exactly one of two simultaneous settlements wins, both see the promise settled, and every handler runs once",
      .rule("1.1", "1.3"),
      arguments: Rival.allCases)
    func settleAndSettle(_ rival: Rival) throws {
      try Duel.repeated { _ in
        let context = ManualContext(isGrouping: true)
        let log = Log<Int>()
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        let answers = (Answer<Bool>(), Answer<Bool>())
        let shown = (Answer<Bool>(), Answer<Bool>())
        for number in 0..<3 { promise.onSettled(on: context) { _ in log.append(number) } }
        return Duel {
          answers.0(deferred.fulfill(1))
          shown.0(!promise.isPending)
        } second: {
          switch rival {
          case .fulfil: answers.1(deferred.fulfill(2))
          case .reject: answers.1(deferred.reject(TestError(2)))
          case .followSettled: answers.1(deferred.follow(.fulfilled(2)))
          }
          shown.1(!promise.isPending)
        } firstCameFirst: {
          context.runUntilIdle()
          try #require(log.entries == [0, 1, 2])
          try #require(answers.0.value != answers.1.value)
          // The loser, too, because a settlement is one step.
          try #require(shown.0.value == true && shown.1.value == true)
          let isOne = (try? promise.result?.get()) == 1
          try #require(isOne == answers.0.value)
          try #require(!promise.isPending)
          return isOne
        }
      }
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
        let answer = Answer<Bool>()
        outer.follow(inner.promise)
        outer.promise.onSettled(on: context) { log.append((try? $0.get()) ?? -1) }
        return Duel {
          inner.fulfill(1)
        } second: {
          answer(rival == .fulfil ? outer.fulfill(2) : outer.follow(.fulfilled(2)))
        } firstCameFirst: {
          context.runUntilIdle()
          try #require(log.entries == [answer.value == true ? 2 : 1])
          try #require((try? inner.promise.result?.get()) == 1)
          return answer.value == false
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
          try #require((try? inner.0.promise.result?.get()) == 1 && (try? inner.1.promise.result?.get()) == 2)
          return value == 1
        }
      }
    }

    @Test("A job that two threads run calls its handler once and settles the derived promise once", .rule("2.1"))
    func oneJobTwice() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let (runner, first) = (Answer<ObjectIdentifier>(), Answer<ObjectIdentifier>())
        let derived = Promise.fulfilled(1).map(on: context) { value in
          log.append(value)
          runner(ObjectIdentifier(Thread.current))
          return value
        }
        let job = context.takeFirst()
        return Duel {
          first(ObjectIdentifier(Thread.current))
          job?.run()
        } second: {
          job?.run()
        } firstCameFirst: {
          try #require(log.entries == [1])
          try #require(derived.isFulfilled)
          return runner.value == first.value
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
        let order = Answer<Bool>()
        return Duel {
          context.step()
        } second: {
          context.dropAll()
          order(derived.isFulfilled)
        } firstCameFirst: {
          try #require(!derived.isPending)
          try #require(derived.isFulfilled == (log.entries == [1]))
          return derived.isFulfilled
        }
      }
    }
  }
}
