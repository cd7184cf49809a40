import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: cancel")
  struct CancelRaceTests {
    /// The call that one thread makes.
    enum Call: CaseIterable, Sendable {
      case cancel, abandon

      func apply(to promise: AnyPromise) {
        switch self {
        case .cancel: promise.cancel()
        case .abandon: promise.abandon()
        }
      }
    }

    /// What a round counts.
    final class Round: Sendable {
      let context = ManualContext()
      let census = Tracked.Census()
      let values = Locked(0)
      let errors = Locked(0)
      let hooks = Locked(0)

      func link(_ promise: Promise<Int>) -> Promise<Int> {
        promise.map(on: context) { [values, tracked = Tracked(census)] value in
          withExtendedLifetime(tracked) { values.withLock { $0 += 1 } }
          return value
        }
      }

      func recovering(_ promise: Promise<Int>) -> Promise<Int> {
        promise.recover(on: context) { [errors, tracked = Tracked(census)] _ in
          withExtendedLifetime(tracked) { errors.withLock { $0 += 1 } }
          return -1
        }
      }

      func always(_ promise: Promise<Int>) -> Promise<Int> {
        promise.always(on: context) { [errors, tracked = Tracked(census)] _ in
          withExtendedLifetime(tracked) { errors.withLock { $0 += 1 } }
        }
      }

      func owner() -> Deferred<Int> {
        let deferred = Deferred<Int>()
        deferred.onCancel { [hooks, tracked = Tracked(census)] _ in
          withExtendedLifetime(tracked) { hooks.withLock { $0 += 1 } }
        }
        return deferred
      }

      var counts: [Int] { [values, errors, hooks].map { $0.withLock { $0 } } }
    }

    private static func value(_ promise: Promise<Int>) -> Int? { try? promise.result?.get() }

    /// Whether it is cancelled as a whole: mark and error.
    private static func isCancelled(_ promise: Promise<Int>) -> Bool {
      guard promise.isCancelled, case .rejected(let error) = promise.state else { return false }
      return error is CancellationError
    }

    @Test(
      "rules 4.1 4.3 4.5, row C8: cancel and fulfil: one wins, below all are settled or cancelled, the hook fits",
      arguments: Call.allCases)
    func fulfil(_ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let answer = Answer<Bool>()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.link(round.link(promise))
        let always = round.always(promise)
        return Duel {
          call.apply(to: promise)
        } second: {
          answer(deferred.fulfill(1))
        } firstCameFirst: {
          let wasCancelled = answer.value == false
          // Whoever won: what was pending below is cancelled, as the cancel had been asked for when it returned.
          try #require(Self.isCancelled(promise) == wasCancelled)
          try #require(Self.isCancelled(below) && Self.isCancelled(always))
          round.context.runUntilIdle()
          try #require(round.counts == [0, 1, wasCancelled ? 1 : 0])
          try #require(round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test("rules 4.2 4.3: cancel and attach: what was attached before is cancelled, what came later sees a rejection")
    func attach() throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = round.owner()
        let promise = deferred.promise
        let attached = Locked<[Promise<Int>]>([])
        let order = Answer<Bool>()
        return Duel {
          promise.cancel()
        } second: {
          attached.withLock { $0 = [round.link(promise), round.recovering(promise), round.always(promise)] }
          order(promise.isPending)
        } firstCameFirst: {
          try #require(!deferred.fulfill(1))
          let promises = attached.withLock { $0 }
          round.context.runUntilIdle()
          try #require(promises.allSatisfy { !$0.isPending })
          try #require(Self.isCancelled(promises[0]) && Self.isCancelled(promises[2]))
          // Recovered, if it was attached to a cancelled promise; if before, it cannot be rescued.
          try #require(Self.isCancelled(promises[1]) || Self.value(promises[1]) == -1)
          if order.value == true { try #require(Self.isCancelled(promises[1])) }
          try #require(round.counts == [0, 2, 1])
          attached.withLock { $0 = [] }
          try #require(round.census.living == 0)
          return order.value == false ? Self.value(promises[1]) == -1 : false
        }
      }
    }

    /// Links whose handler starts while they are cancelled.
    enum Starting: CaseIterable, Sendable { case value, error, both }

    @Test(
      "rules 2.1 2.5: cancel and the handler's start: it runs once or never, and is released",
      arguments: Starting.allCases, Call.allCases)
    func start(_ starting: Starting, _ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let source: Promise<Int> = starting == .error ? .rejected(TestError(1)) : .fulfilled(1)
        let derived =
          switch starting {
          case .value: round.link(source)
          case .error: round.recovering(source)
          case .both: round.always(source)
          }
        let below = round.link(derived)
        let order = Answer<Bool>()
        return Duel {
          call.apply(to: derived)
        } second: {
          round.context.step()
          order(Self.isCancelled(derived))
        } firstCameFirst: {
          try #require(Self.isCancelled(derived) || Self.value(derived) != nil)
          try #require(Self.isCancelled(below))
          let wasCancelled = Self.isCancelled(derived)
          round.context.runUntilIdle()
          let counts = round.counts
          switch starting {
          case .value: try #require(counts[0] == 1 || counts[0] == 0 && wasCancelled)
          case .error, .both: try #require(counts[0] == 0 && counts[1] == 1)
          }
          try #require(round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test(
      "rules 4.3 4.4: cancel and adoption: the promise that the handler returns is cancelled, unless it is shared",
      arguments: [false, true], Call.allCases)
    func adopt(isShared: Bool, _ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let inner = round.owner()
        let innerPromise = inner.promise
        let other = isShared ? innerPromise.map(on: round.context) { $0 } : nil
        let returned = Answer<Bool>()
        let ran = Answer<Bool>()
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in
          ran(true)
          return innerPromise
        }
        let below = round.link(outer)
        let order = Answer<Bool>()
        return Duel {
          call.apply(to: outer)
          order(returned.value == true)
        } second: {
          round.context.step()
          returned(true)
        } firstCameFirst: {
          try #require(Self.isCancelled(outer) && Self.isCancelled(below))
          // A handler that never ran has nothing to take along.
          if !isShared { try #require(Self.isCancelled(innerPromise) == (ran.value == true)) }
          try #require(round.counts[2] == (Self.isCancelled(innerPromise) ? 1 : 0))
          if isShared { try #require(innerPromise.isPending && other?.isPending == true) }
          try #require(round.counts[0] == 0)
          inner.fulfill(1)
          round.context.runUntilIdle()
          try #require(round.counts[2] <= 1)
          try #require(round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }

    @Test(
      "rules 2.5 4.3 4.4: cancel and adoption of a link that nobody holds: it is cancelled, and released",
      arguments: [false, true])
    func adoptUnheld(isSettled: Bool) throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = Deferred<Int>()
        let source = isSettled ? .fulfilled(1) : deferred.promise
        let returned = Answer<Bool>()
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in round.link(source) }
        let order = Answer<Bool>()
        return Duel {
          outer.cancel()
          order(returned.value == true)
        } second: {
          round.context.step()
          returned(true)
        } firstCameFirst: {
          try #require(Self.isCancelled(outer))
          deferred.fulfill(1)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 0])
          try #require(round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }

    @Test(
      "rules 3.3 4.3 4.4: a loop of a few steps is cancelled while it runs: it goes no further",
      arguments: [2, 3, 10, 50])
    func loop(count: Int) throws {
      try Duel.repeated { number in
        let round = Round()
        // A loop of many steps hardly ever ends before an unhindered cancel.
        let comesLate = number.isMultiple(of: 8)
        let steps = round.values
        @Sendable func step(_ number: Int) -> Promise<Int> {
          steps.withLock { $0 = number }
          if number == count { return .fulfilled(number) }
          return Promise.fulfilled(number).then(on: round.context) { step($0 + 1) }
        }
        let outermost = step(0)
        let reached = Answer<Int>()
        return Duel {
          while comesLate, outermost.isPending {}
          outermost.cancel()
          reached(steps.withLock { $0 })
        } second: {
          round.context.runUntilIdle()
        } firstCameFirst: {
          try #require(!outermost.isPending)
          // One handler may have been running: then it has begun one more step.
          if outermost.isCancelled { try #require(round.counts[0] <= (reached.value ?? 0) + 1) }
          return outermost.isCancelled
        }
      }
    }

    @Test("rules 4.1 4.5: two cancels at once: one reason for all, and the hook once", arguments: Call.allCases)
    func secondCancel(_ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.recovering(round.link(promise))
        return Duel {
          promise.cancel(reason: TestError(1))
        } second: {
          call.apply(to: promise)
        } firstCameFirst: {
          try #require(!deferred.fulfill(1))
          try #require(promise.isCancelled && below.isCancelled)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 1, 1])
          try #require(round.census.living == 0)
          guard case .rejected(let error) = promise.state else { return nil }
          return error is TestError
        }
      }
    }

    @Test("rules 4.3 4.6: two leaves of one promise are abandoned at once: the last takes the source along")
    func abandonBoth() throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = round.owner()
        let middle = round.link(deferred.promise)
        let (left, right) = (round.link(middle), round.link(middle))
        let order = Answer<Bool>()
        return Duel {
          left.abandon()
          order(Self.isCancelled(middle))
        } second: {
          right.abandon()
        } firstCameFirst: {
          try #require([left, right, middle, deferred.promise].allSatisfy(Self.isCancelled))
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 1] && round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }

    @Test("rules 4.5 6.2: cancel and the owner's going: cancelled or broken, the hook fits, nothing is left")
    func ownerDrop() throws {
      try Duel.repeated { _ in
        let round = Round()
        let owner = Held(round.owner())
        let promise = owner.object?.promise ?? .fulfilled(0)
        let below = round.link(promise)
        return Duel {
          promise.cancel()
        } second: {
          owner.drop()
        } firstCameFirst: {
          let wasCancelled = Self.isCancelled(promise)
          if !wasCancelled {
            guard case .rejected(PromiseError.broken) = promise.state else { throw TestError(2) }
          }
          try #require(!below.isPending && (below.isCancelled || !wasCancelled))
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, wasCancelled ? 1 : 0] && round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test("rule 4.5: cancel and the hook's registration: the hook runs once")
    func register() throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        let order = Answer<Bool>()
        return Duel {
          promise.cancel()
        } second: {
          deferred.onCancel { [tracked = Tracked(round.census)] _ in
            withExtendedLifetime(tracked) { round.hooks.withLock { $0 += 1 } }
          }
          order(promise.isCancelled)
        } firstCameFirst: {
          try #require(round.counts == [0, 0, 1] && round.census.living == 0)
          return order.value
        }
      }
    }

    @Test("rules 4.4 4.5: the adopted promise settles while its adopter is cancelled", arguments: Call.allCases)
    func adoptedSettles(_ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let inner = round.owner()
        let innerPromise = inner.promise
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in innerPromise }
        round.context.step()
        let below = round.link(outer)
        let answer = Answer<Bool>()
        return Duel {
          call.apply(to: outer)
        } second: {
          answer(inner.fulfill(1))
        } firstCameFirst: {
          let innerWon = answer.value == true
          try #require(innerWon ? Self.value(innerPromise) == 1 : Self.isCancelled(innerPromise))
          try #require(Self.isCancelled(outer) || innerWon && Self.value(outer) == 1)
          try #require(Self.isCancelled(below))
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, innerWon ? 0 : 1] && round.census.living == 0)
          return !innerWon
        }
      }
    }

    @Test(
      "rule 4.9: a link is cancelled while its source settles: never twice, and nothing is left",
      arguments: Call.allCases)
    func linkAndSource(_ call: Call) throws {
      try Duel.repeated { _ in
        let round = Round()
        let deferred = round.owner()
        let derived = round.link(deferred.promise)
        let other = round.link(deferred.promise)
        let below = round.always(derived)
        let answer = Answer<Bool>()
        return Duel {
          call.apply(to: derived)
          answer(deferred.promise.isPending)
        } second: {
          deferred.fulfill(1)
        } firstCameFirst: {
          try #require(Self.isCancelled(derived) && Self.isCancelled(below))
          round.context.runUntilIdle()
          try #require(Self.value(other) == 1)
          try #require(round.counts == [1, 1, 0] && round.census.living == 0)
          return answer.value
        }
      }
    }
  }
}
