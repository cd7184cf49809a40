import TestSupport
import Testing

extension Stress {
  @Suite("Faults: closures that throw, and contexts that drop jobs")
  struct ThrowingTests {
    @Test(
      "A closure that throws in any call rejects its promise with that error and ends its operation", .rule("2.3"),
      arguments: Use.all, 1...3)
    func rejects(_ use: Use, turn: Int) {
      guard turn <= use.count else { return }
      let context = ManualContext()
      let turns = Locked(0)
      let census = Tracked.Census()
      let promise = use.start(on: context) { [tracked = Tracked(census)] in
        try tracked.carrying(turns.increment() == turn ? { throw TestError(turn + 10) } : {})()
      }
      context.runUntilIdle()
      #expect(promise.isRejected)
      #expect(!promise.isCancelled)
      #expect(promise.debugDescription.contains("TestError(number: \(turn + 10))"))
      #expect(census.living == 0)
    }

    @Test("A closure that throws CancellationError cancels its promise", .rule("1.2", "2.3"), arguments: Use.all)
    func cancels(_ use: Use) {
      let context = ManualContext()
      let promise = use.start(on: context) { throw CancellationError() }
      context.runUntilIdle()
      #expect(promise.isCancelled)
    }

    @Test(
      "A context that drops its jobs rejects the promise of every use, names its line and releases the closure",
      .rule("2.4", "6.2"), arguments: Use.all)
    func drops(_ use: Use) {
      let census = Tracked.Census()
      let promise = use.start(on: DroppingContext()) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) {} }
      #expect(promise.isRejected)
      #expect(promise.debugDescription.contains("Use.swift"))
      #expect(census.living == 0)
    }
  }
}
