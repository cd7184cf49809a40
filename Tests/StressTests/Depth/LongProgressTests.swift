import TestSupport
import Testing

extension Stress {
  /// Long chains and loops. Recursion would overflow the stack, and a visit to every link in between would take
  /// minutes.
  @Suite("Progress: long chains and loops")
  struct LongProgressTests {
    /// A depth of more than 65,535 links, beyond which a chain gains no weight.
    private static let depth = Effort.of(70_000, full: 100_000)
    private let deferred = Deferred<Int>()
    private let context = Trampoline()
    private let shown = Trampoline()
    private let log = Log<Double>()

    private func observe(_ promise: Promise<Int>) { promise.onProgress(on: shown) { [log] in log.append($0) } }

    private var values: [Double] {
      shown.run()
      return log.entries
    }

    @Test(
      "Progress passes through many thousand links that are read, observed, settled and deallocated",
      .rule("5.4", "6.4"))
    func chain() {
      let census = Tracked.Census()
      do {
        var end = deferred.promise
        for _ in 0..<Self.depth {
          end = end.map(on: context, weight: 1) { [tracked = Tracked(census)] in tracked.carrying($0) }
        }
        deferred.report(progress: 0.5)
        #expect(end.progress == 0.5 / 65_535)
        observe(end)
        #expect(values == [0.5 / 65_535])
        for step in 1..<2_000 { deferred.report(progress: 0.5 + Double(step) / 4_000) }
        #expect(values.count == 2)
        deferred.fulfill(1)
        context.run()
        #expect(end.isFulfilled)
        #expect(values.last == 1)
      }
      #expect(census.living == 0)
    }

    @Test(
      "Observers on each of many thousand links, attached while the chain is built, see a report", .rule("5.4", "6.4"))
    func everyLinkObserved() {
      var end = deferred.promise
      for _ in 0..<Self.depth {
        end = end.tap(on: context) { _ in }
        observe(end)
      }
      deferred.report(progress: 0.5)
      let shown = values
      #expect(shown.count == Self.depth)
      #expect(shown.allSatisfy { $0 == 0.5 })
      deferred.reject(TestError(1))
      #expect(end.isRejected)
      #expect(values.count == Self.depth)
    }

    @Test("A long observed chain is deallocated with its owner", .rule("5.4", "6.4"), arguments: [1, 1_000])
    func dropped(every: Int) {
      let census = Tracked.Census()
      do {
        let owner = Deferred<Int>()
        var end = owner.promise
        for number in 0..<Self.depth {
          end = end.map(on: context, weight: 0) { $0 }
          if number % every == 0 {
            end.onProgress(on: shown) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
          }
        }
        owner.report(progress: 0.5)
      }
      shown.run()
      #expect(census.living == 0)
    }

    @Test(
      "A long observed chain is cancelled from its top or from its end", .rule("2.5", "4.2", "5.4"),
      arguments: [false, true])
    func cancelled(fromEnd: Bool) {
      var end = deferred.promise
      for _ in 0..<Self.depth { end = end.map(on: context, weight: 1) { $0 } }
      observe(end)
      deferred.report(progress: 0.5)
      if fromEnd { end.cancel(upstream: true) } else { deferred.promise.cancel() }
      #expect(deferred.promise.isCancelled)
      #expect(end.isCancelled)
      // The report was still queued, so the cancellation has taken it back.
      #expect(values.isEmpty)
    }

    @Test(
      "Many thousand owners that follow one another are reported to and settled, while the last is observed",
      .rule("3.4", "5.4"))
    func followers() {
      let owners = (0..<Self.depth).map { _ in Deferred<Int>() }
      for (follower, followed) in zip(owners.dropFirst(), owners) { follower.follow(followed.promise) }
      observe(owners[Self.depth - 1].promise)
      owners[0].report(progress: 0.5)
      #expect(values == [0.5])
      owners[0].fulfill(1)
      #expect(values == [0.5, 1])
    }

    @Test("A long loop that is observed at its outermost promise runs in flat memory", .rule("5.4", "3.3"))
    func longLoop() {
      let count = Effort.of(30_000, full: 100_000)
      expectGrowth(below: Effort.bound(ofRounds: count)) {
        let context = ManualContext()
        let shown = ManualContext()
        let log = Log<Double>()
        let census = Tracked.Census()
        let outermost = loop(count, on: context, tracking: census)
        outermost.onProgress(on: shown) { log.append($0) }
        context.runUntilIdle()
        shown.runUntilIdle()
        #expect(outermost.isFulfilled)
        #expect(log.entries.last == 1)
        #expect(census.peak < 100)
      }
    }

    @Test("100,000 observed links that are cancelled leave nothing in their pending promise", .rule("5.4", "4.9"))
    func watchesLeave() {
      let count = 100_000
      expectGrowth(below: Effort.bound(ofRounds: count)) {
        for _ in 0..<count {
          let child = deferred.promise.map(on: context) { $0 }
          child.onProgress(on: shown) { _ in }
          child.cancel()
        }
      }
      deferred.report(progress: 0.5)
      #expect(shown.run() == 0)
    }
  }
}
