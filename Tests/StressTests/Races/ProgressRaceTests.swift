import TestSupport
import Testing

extension Stress {
  @Suite("Races: progress")
  struct ProgressRaceTests {
    /// Checks that the observed progress rises and ends at the final progress of the promise.
    private static func check(_ shown: [Double], endsAt end: Double) throws {
      try #require(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 }, "\(shown)")
      try #require(shown.last ?? 0 == end, "\(shown), not \(end)")
    }

    @Test(
      "Progress ends at the right value if a report races with the settlement", .rule("5.1", "5.2"),
      arguments: [false, true], [false, true])
    func reportAndSettle(fulfils: Bool, isDerived: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Double>()
        let deferred = Deferred<Int>()
        let result: Result<Int, any Error> = fulfils ? .success(1) : .failure(TestError(1))
        let promise = isDerived ? deferred.promise.tap(on: context) { _ in } : deferred.promise
        promise.onProgress(on: context) { log.append($0) }
        return Duel(deferred.report(progress: 0.5), against: deferred.settle(result)) { isReported, _ in
          context.runUntilIdle()
          let end = fulfils ? 1 : isReported ? 0.5 : 0
          try #require(deferred.promise.progress == end && promise.progress == end)
          try Self.check(log.entries, endsAt: end)
          return isReported
        }
      }
    }

    @Test(
      "A report that races with the registration of an observer is shown once", .rule("5.1", "5.3", "5.5"),
      arguments: 0..<3)
    func reportAndObserve(links: Int) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Double>()
        let deferred = Deferred<Int>()
        let end = (0..<links).reduce(deferred.promise) { end, _ in end.tap(on: context) { _ in } }
        return Duel {
          deferred.report(progress: 0.5)
        } second: {
          let isReported = deferred.promise.progress == 0.5
          end.onProgress(on: context) { log.append($0) }
          return isReported
        } results: { _, isReported in
          context.runUntilIdle()
          try #require(log.entries == [0.5])
          return isReported
        }
      }
    }

    @Test(
      "A report that races with the adoption of its promise reaches the adopter", .rule("5.4", "2.6"),
      arguments: [false, true])
    func reportAndAdopt(follows: Bool) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let shown = ManualContext()
        let log = Log<Double>()
        let outer = Deferred<Int>()
        let inner = Deferred<Int>()
        let adopter = follows ? outer.promise : outer.promise.then(on: context) { _ in inner.promise }
        let end = adopter.map(on: context, weight: 2) { $0 }
        end.onProgress(on: shown) { log.append($0) }
        if !follows { outer.fulfill(1) }
        return Duel {
          if follows { outer.follow(inner.promise) } else { context.runUntilIdle() }
          return inner.promise.progress == 0
        } second: {
          inner.report(progress: 0.5)
        } results: { isFirst, _ in
          shown.runUntilIdle()
          let now = follows ? 0.5 / 3 : 1.5 / 4
          try #require(end.progress == now)
          try Self.check(log.entries, endsAt: now)
          return isFirst
        }
      }
    }

    @Test("The highest of several racing reports is shown last", .rule("5.1", "5.5"))
    func reportAndReport() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Double>()
        let deferred = Deferred<Int>()
        let end = deferred.promise.map(on: context, weight: 0) { $0 }
        end.onProgress(on: context) { log.append($0) }
        return Duel {
          let isFirst = deferred.report(progress: 0.25)
          deferred.report(progress: 0.5)
          return isFirst
        } second: {
          deferred.report(progress: 0.75)
        } results: { isFirst, _ in
          context.runUntilIdle()
          try #require(deferred.promise.progress == 0.75)
          try Self.check(log.entries, endsAt: 0.75)
          return isFirst
        }
      }
    }

    @Test(
      "A cancel at the end of a chain while the top reports never lowers progress and leaves nothing behind",
      .rule("2.5", "5.1", "5.2"))
    func cancelAndReport() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Double>()
        let deferred = Deferred<Int>()
        let census = Tracked.Census()
        let end = deferred.promise.tap(on: context) { _ in }.tap(on: context) { _ in }
        end.onProgress(on: context) { [tracked = Tracked(census)] in log.append(tracked.carrying($0)) }
        return Duel {
          let isFirst = !end.isCancelled
          deferred.report(progress: 0.5)
          deferred.report(progress: 0.75)
          return isFirst
        } second: {
          end.cancel()
        } results: { isFirst, _ in
          context.runUntilIdle()
          // The cancellation takes back what is queued (rule 2.5).
          try Self.check(log.entries, endsAt: log.entries.last ?? 0)
          try #require(log.entries.last ?? 0 <= end.progress)
          try #require(census.living == 0)
          try #require(deferred.promise.progress == 0.75)
          return isFirst
        }
      }
    }

    @Test(
      "A loop can be inspected and observed while its steps collapse, and its progress never falls and ends at 1",
      .rule("3.3", "5.4", "8.2"))
    func loopAndObserve() throws {
      try Duel.repeated(Duel.manyRounds / 4) { round in
        let context = ManualContext()
        let shown = ManualContext()
        let log = Log<Double>()
        // Short loops end before they are observed, and long loops end later.
        let outermost = loop(1 + round % 20, on: context)
        let behind = outermost.always(on: shown) { _ in }
        return Duel {
          context.runUntilIdle()
        } second: {
          // Every eighth round observes after the loop has ended.
          while round.isMultiple(of: 8), outermost.isPending {}
          let cameLate = !outermost.isPending
          outermost.onProgress(on: shown) { log.append($0) }
          var last = 0.0
          for _ in 0..<20 {
            _ = (outermost.isPending, outermost.result, behind.root, behind.parent)
            let now = outermost.progress
            if now < last { log.append(-1) }
            last = now
          }
          return cameLate
        } results: { _, cameLate in
          shown.runUntilIdle()
          try #require(outermost.isFulfilled && behind.state.value == 0)
          try Self.check(log.entries, endsAt: 1)
          return cameLate
        }
      }
    }
  }
}

/// A recursive loop over promises that are pending when they are returned. Their handlers capture tracked objects.
func loop(
  _ count: Int, on context: ManualContext, tracking census: Tracked.Census = Tracked.Census()
) -> Promise<Int> {
  if count == 0 { return .fulfilled(0) }
  return Promise.run(on: context) { [tracked = Tracked(census)] in tracked.carrying(count) }
    .then(on: context) { loop($0 - 1, on: context, tracking: census) }
}
