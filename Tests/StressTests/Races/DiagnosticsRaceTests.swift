import TestSupport
import Testing

extension Stress {
  @Suite("Races: diagnostics")
  struct DiagnosticsRaceTests {
    @Test("A rejection is reported exactly once if two threads release the promise", .rule("7.1"))
    func dropAndDrop() throws {
      let reports = Log<Int>()
      let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0.createdAt.line) }
      let rounds = try Diagnostics.scoped(unhandledRejection: hook) {
        try Duel.repeated { round in
          let context = ManualContext()
          let promise = Deferred<Int>(line: 1)
          let held = (Held(promise.promise), Held(promise.promise))
          promise.reject(TestError(1))
          return Duel {
            held.0.drop()
          } second: {
            // Hands the duty to report to a derived promise, and releases that promise.
            _ = held.1.object?.map(on: context, line: 2) { $0 }.asVoid(line: 3)
            held.1.drop()
          } firstCameFirst: {
            round % 2 == 0
          }
        }
      }
      #expect(reports.entries == Array(repeating: 3, count: rounds))
    }

    @Test("A handled rejection is never reported if another thread releases the owner at the same time", .rule("7.1"))
    func lookAndDrop() throws {
      let reports = Log<Int>()
      let hook: @Sendable (UnhandledRejection) -> Void = { reports.append($0.createdAt.line) }
      try Diagnostics.scoped(unhandledRejection: hook) {
        _ = try Duel.repeated { round in
          let context = ManualContext()
          let deferred = Deferred<Int>(line: 1)
          let held = (Held(deferred.promise), Held(deferred))
          let looks = round % 2 == 0
          return Duel {
            guard let promise = held.0.object else { return }
            promise.onRejected(on: context) { _ in }
            if looks { _ = promise.result }
            held.0.drop()
          } second: {
            held.1.object?.reject(TestError(1))
            held.1.drop()
          } firstCameFirst: {
            context.runUntilIdle()
            return looks
          }
        }
      }
      #expect(reports.entries == [])
    }
  }
}
