import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// What goes wrong only if one thread gets in between a few instructions of another: many meetings, each a little shifted.
  /// Who comes first is not counted.
  @Suite("Races: a few instructions")
  struct NarrowRaceTests {
    /// How many meet in a row, with objects that are made before.
    private static let inARow = 500
    private static let rows = Effort.rounds / 100

    /// Both at the same time for each subject, one of them a little later.
    private func meet<Subject: Sendable>(
      _ subjects: [Subject], _ first: @escaping @Sendable (Subject) -> Void,
      and second: @escaping @Sendable (Subject) -> Void
    ) {
      let meeting = Meeting(of: 2, rounds: subjects.count)
      race(
        [first, second].enumerated().map { side, body in
          {
            for (number, subject) in subjects.enumerated() {
              meeting.meet(number)
              if number % 2 == side { spin(number / 2 % 40) }
              body(subject)
            }
          }
        })
    }

    @Test("rules 5.2 6.3: an observer that comes as its promise is settled is let go")
    func observer() {
      for _ in 0..<Self.rows {
        let census = Tracked.Census()
        let context = ManualContext()
        let owners = (0..<Self.inARow).map { _ in Deferred<Int>() }
        meet(owners) { owner in
          owner.promise.onProgress(on: context) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
        } and: {
          $0.fulfill(1)
        }
        context.runUntilIdle()
        #expect(census.living == 0 && owners.allSatisfy { $0.promise.isFulfilled })
      }
    }

    /// A promise that nobody holds, for which only `outer` waits, and whose handler is about to return `inner`.
    private struct Dissolution: Sendable {
      let context = ManualContext()
      let source = Promise.fulfilled(1)
      let inner = Deferred<Tracked>()
      let outer: Promise<Tracked>
      let other: Promise<Tracked>

      init() {
        other = inner.promise.tap(on: context) { _ in }
        outer = Promise.fulfilled(1).then(on: context) { [context, source, inner = inner.promise] _ in
          source.then(on: context) { _ in inner }
        }
        context.step()
      }
    }

    @Test(
      "rules 3.3 4.2 6.1: what a promise adopts as it is cancelled is spared if others want it, and goes in its time",
      arguments: [false, true])
    func dissolution(isSourceCancelled: Bool) {
      let census = Tracked.Census()
      for _ in 0..<Self.rows {
        let all = (0..<Self.inARow).map { _ in Dissolution() }
        meet(all) {
          isSourceCancelled ? $0.source.cancel() : $0.outer.cancel()
        } and: {
          $0.context.step()
        }
        #expect(all.allSatisfy { $0.inner.promise.isPending && $0.other.isPending })
        for one in all {
          one.inner.fulfill(Tracked(census))
          one.context.runUntilIdle()
        }
        #expect(all.allSatisfy { $0.other.isFulfilled && !$0.outer.isPending })
      }
      #expect(census.living == 0, "a promise is left, with its value")
    }

    /// The last of a chain of which nobody holds the others, and where the outcome of the second is about to pass through the third.
    private struct Passing: Sendable {
      let context = ManualContext()
      let later = ManualContext()
      let last: Promise<Int>

      init() { last = Promise.fulfilled(1).map(on: context) { $0 }.catch(on: context) { _ in }.map(on: later) { $0 } }
    }

    @Test("rules 4.2 4.3: what is reached from below as its outcome passes is cancelled with all that is below it")
    func passing() {
      for _ in 0..<5 * Self.rows {
        let all = (0..<Self.inARow).map { _ in Passing() }
        meet(all) {
          $0.last.root.cancel()
        } and: {
          $0.context.step()
        }
        #expect(all.allSatisfy { $0.last.isCancelled })
      }
    }
  }
}
