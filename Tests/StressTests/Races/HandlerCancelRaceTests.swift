import TestSupport
import Testing

extension Stress {
  /// Races between a cancel and a handler or hook that is attached, registered or started.
  @Suite("Races: cancel and handlers")
  struct HandlerCancelRaceTests {
    @Test(
      "A cancel takes along links attached before it, and links attached later see a rejection", .rule("4.2", "4.3"))
    func attach() throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let promise = deferred.promise
        let attached = Locked<[Promise<Int>]>([])
        return Duel {
          promise.cancel()
        } second: {
          attached.withLock { $0 = [round.link(promise), round.recovering(promise), round.always(promise)] }
          return promise.isPending
        } results: { _, wasPending in
          try #require(!deferred.fulfill(1))
          let promises = attached.withLock { $0 }
          round.context.runUntilIdle()
          try #require(promises[0].isCancelledAsWhole && promises[2].isCancelledAsWhole)
          // A link that was attached before the cancel is cancelled. A link that was attached to the cancelled promise
          // recovers.
          try #require(promises[1].isCancelledAsWhole || promises[1].state.value == -1)
          if wasPending { try #require(promises[1].isCancelledAsWhole) }
          // `recover` runs only if it was attached to the cancelled promise (rule 2.5).
          try #require(round.counts == [0, promises[1].isCancelledAsWhole ? 1 : 2, 1])
          attached.withLock { $0 = [] }
          try #require(round.census.living == 0)
          return !wasPending && promises[1].state.value == -1
        }
      }
    }

    /// Links whose handler starts while they are cancelled.
    enum Starting: CaseIterable, Sendable { case value, error, both }

    @Test(
      "A handler that starts during a cancel runs at most once and is released", .rule("2.1", "2.5"),
      arguments: Starting.allCases, CancelForm.allCases)
    func start(_ starting: Starting, _ call: CancelForm) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let source: Promise<Int> = starting == .error ? .rejected(TestError(1)) : .fulfilled(1)
        let derived =
          switch starting {
          case .value: round.link(source)
          case .error: round.recovering(source)
          case .both: round.always(source)
          }
        let below = round.link(derived)
        return Duel(call.apply(to: derived), against: round.context.step()) { _, _ in
          let wasCancelled = derived.isCancelledAsWhole
          try #require((wasCancelled || derived.isFulfilled) && below.isCancelledAsWhole)
          round.context.runUntilIdle()
          let counts = round.counts
          switch starting {
          case .value: try #require(counts[0] == 1 || counts[0] == 0 && wasCancelled)
          case .error: try #require(counts[0] == 0 && (counts[1] == 1 || counts[1] == 0 && wasCancelled))
          case .both: try #require(counts[0] == 0 && counts[1] == 1)
          }
          try #require(round.census.living == 0)
          return wasCancelled
        }
      }
    }

    /// The event that settles a promise below a settled promise.
    enum Ending: CaseIterable, Sendable { case handlerReturns, jobIsDropped, adoptedIsSettled }

    @Test(
      "A link attached after a cancel raced with another settlement is still cancelled with the source",
      .rule("4.0", "4.2"), arguments: Ending.allCases, [false, true])
    func later(_ ending: Ending, isSourceCancelled: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let other = ManualContext()
        let source = Promise.fulfilled(1)
        let inner = Deferred<Int>()
        let child =
          ending == .adoptedIsSettled
          ? source.then(on: context) { [promise = inner.promise] _ in promise } : source.map(on: context) { $0 }
        if ending == .adoptedIsSettled { context.step() }
        return Duel {
          isSourceCancelled ? source.cancel() : child.cancel()
        } second: {
          switch ending {
          case .handlerReturns: context.step()
          case .jobIsDropped: context.dropAll()
          case .adoptedIsSettled: inner.fulfill(1)
          }
        } firstCameFirst: {
          let below = child.always(on: other) { _ in }
          try #require(!child.isPending && below.isPending)
          source.cancel()
          try #require(below.isCancelled)
          return child.isCancelled
        }
      }
    }

    @Test("A hook that is registered during a cancel runs once", .rule("4.5"))
    func register() throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        return Duel {
          promise.cancel()
        } second: {
          deferred.onCancel { [handler = round.hooks.handler] _ in handler() }
          return promise.isCancelled
        } results: { _, cameLate in
          try #require(round.counts == [0, 0, 1] && round.census.living == 0)
          return cameLate
        }
      }
    }
  }
}
