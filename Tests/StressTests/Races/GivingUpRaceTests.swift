import TestSupport
import Testing

extension Stress {
  /// Races between the last consumers of a promise, which give up, and calls that attach, give up or settle.
  @Suite("Races: giving up")
  struct GivingUpRaceTests {
    @Test(
      "A link attached while the last consumer gives up keeps the promise going or can recover from its cancellation",
      .rule("4.4"), arguments: 0..<3)
    func attach(length: Int) throws {
      try Duel.repeated(Effort.of(10_000, full: 100_000)) { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let promise = (0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } }
        let last = promise.map(on: context) { $0 }
        return Duel(last.cancel(upstream: true), against: promise.map(on: context) { $0 }) { _, link in
          try #require(last.isCancelledAsWhole)
          guard promise.isPending else {
            // The link came too late. The promise is cancelled, and the link sees an ordinary rejection.
            try #require(promise.isCancelledAsWhole && work.isStopped && link.isCancelledAsWhole)
            let recovered = link.recover(on: context) { _ in -1 }
            context.runUntilIdle()
            try #require(recovered.state.value == -1)
            return true
          }
          // The link came in time and is the only consumer.
          try #require(link.isPending && work.goesOn)
          promise.map(on: context) { $0 }.cancel(upstream: true)
          try #require(promise.isPending && work.goesOn)
          link.cancel(upstream: true)
          try #require(promise.isCancelledAsWhole && work.isStopped)
          return false
        }
      }
    }

    /// Consumers other than links that pass a rejection on.
    enum Other: CaseIterable, Sendable { case recovering, observer, follower, shield }

    @Test(
      "A consumer attached while the last consumer gives up keeps the promise going, or sees its rejection",
      .rule("4.3", "4.4"), arguments: Other.allCases)
    func attachOther(_ other: Other) throws {
      let rounds = other == .recovering ? Effort.of(10_000, full: 100_000) : Duel.manyRounds
      try Duel.repeated(rounds) { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let follower = Deferred<Int>()
        let values = Log<Int>()
        let last = work.promise.map(on: context) { $0 }
        return Duel {
          last.cancel(upstream: true)
        } second: {
          switch other {
          case .recovering: return work.promise.recover(on: context) { _ in -1 }
          case .observer: return work.promise.onSettled(on: context) { values.append((try? $0.get()) ?? -1) }
          case .follower:
            follower.follow(work.promise)
            return follower.promise
          case .shield: return work.promise.shielded()
          }
        } results: { _, attached in
          let cameTooLate = work.promise.isCancelled
          try #require(cameTooLate ? work.isStopped : work.goesOn)
          if other == .follower || other == .shield {
            try #require(cameTooLate ? attached.isCancelledAsWhole : attached.isPending)
          }
          work.deferred.fulfill(1)
          context.runUntilIdle()
          let value = cameTooLate ? -1 : 1
          switch other {
          case .recovering: try #require(attached.state.value == value)
          case .observer: try #require(values.entries == [value])
          case .follower, .shield: try #require(cameTooLate || attached.state.value == 1)
          }
          return cameTooLate
        }
      }
    }

    /// The way from the work to the two consumers that give up.
    enum Way: CaseIterable, Sendable { case direct, oneLink, twoLinks, adopter, follower }

    @Test(
      "Two consumers that give up at the same time stop the work once, with either reason", .rule("4.4", "4.5"),
      arguments: Way.allCases)
    func lastTwo(_ way: Way) throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let round = CancelRound()
        let promise =
          switch way {
          case .direct, .adopter, .follower: work.promise
          case .oneLink: round.link(work.promise)
          case .twoLinks: round.link(round.link(work.promise))
          }
        let inner = round.link(promise)
        let right = round.link(promise)
        let left: Promise<Int> =
          switch way {
          case .direct, .oneLink, .twoLinks: inner
          case .adopter: round.link(Promise.fulfilled(1).then(on: round.context) { _ in inner })
          case .follower: Promise { $0.follow(inner) }
          }
        round.context.step()
        return Duel(
          left.cancel(reason: TestError(1), upstream: true), against: right.cancel(reason: TestError(2), upstream: true)
        ) { _, _ in
          try #require(work.isStopped && [promise, inner, left, right].allSatisfy(\.isCancelled))
          try #require(work.reasonNumbers == [1] || work.reasonNumbers == [2])
          let reason = Failure.test(work.reasonNumbers[0])
          try #require([work.promise, promise, left, right].map(\.failure) == [reason, reason, .test(1), .test(2)])
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 0] && round.census.living == 0)
          // The last consumer gives the reason.
          return work.reasonNumbers == [2]
        }
      }
    }

    @Test(
      "A child without a handler that is cancelled while its source is fulfilled is settled when both have returned",
      .rule("4.3"), arguments: CancelForm.allCases)
    func childAndSource(_ form: CancelForm) throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let child = work.promise.asVoid()
        // Keeps the source pending if the child gives it up.
        let other = work.promise.map(on: context) { $0 }
        return Duel(form.apply(to: child), against: work.deferred.fulfill(1)) { _, _ in
          try #require(work.promise.state.value == 1 && work.reasons.isEmpty && !child.isPending)
          context.runUntilIdle()
          try #require(other.state.value == 1)
          return child.isCancelled
        }
      }
    }
  }
}
