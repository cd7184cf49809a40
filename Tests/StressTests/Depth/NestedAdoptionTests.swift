import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  /// Nested adoptions. Each adoption must find out whether it closes a ring. If that took a walk through all levels,
  /// these depths would take minutes.
  @Suite("Depth: nested adoptions")
  struct NestedAdoptionTests {
    enum Operator: CaseIterable, Sendable {
      case then, traverse

      /// Returns a promise that adopts the inner promise as soon as the context runs.
      func nest(_ inner: Promise<Int>, on context: any ExecutionContext) -> Promise<Int> {
        switch self {
        case .then: return Promise.fulfilled(0).then(on: context) { _ in inner }.map(on: context) { $0 }
        case .traverse:
          return Promise.traverse([0], concurrency: 1, on: context) { _ in inner }.map(on: context) { $0[0] }
        }
      }
    }

    /// The order in which the levels adopt each other.
    enum Order: CaseIterable, Sendable { case innermostFirst, outermostFirst, shuffled }

    @Test(
      "Thousands of nested promises adopt each other in any order in linear time", .rule("3.2", "6.4"),
      arguments: Operator.allCases, Order.allCases)
    func nested(_ kind: Operator, _ order: Order) async {
      let depth = Effort.of(5_000, full: 20_000)
      await DeepThread.worker.expect {
        let leaf = Deferred<Int>()
        let contexts = (0..<depth).map { _ in Trampoline() }
        var end = leaf.promise
        for context in contexts { end = kind.nest(end, on: context) }
        var levels = Array(contexts.indices)
        switch order {
        case .innermostFirst: break
        case .outermostFirst: levels.reverse()
        case .shuffled:
          var generator = Seeded(1)
          levels.shuffle(using: &generator)
        }
        for level in levels { contexts[level].run() }
        let wasPending = end.isPending
        leaf.fulfill(7)
        for context in contexts { context.run() }
        return wasPending && end.state.value == 7
      }
    }

    /// Operators whose result waits for a cleanup.
    enum CleaningOperator: CaseIterable, Sendable {
      case alwaysThen, alwaysThenAfterRejection, catchThen, using, release, join

      /// Returns a promise that settles after the inner promise.
      func nest(_ inner: Promise<Int>, on context: any ExecutionContext) -> Promise<Int> {
        let done = Promise.fulfilled(7)
        switch self {
        case .alwaysThen: return done.alwaysThen(on: context) { _ in inner.asVoid() }
        case .alwaysThenAfterRejection:
          return Promise<Int>.rejected(TestError(1)).alwaysThen(on: context) { _ in inner.asVoid() }
            .recover(on: context) { _ in 7 }
        case .catchThen:
          return Promise<Int>.rejected(TestError(1)).catchThen(on: context) { _ in inner.asVoid() }
            .recover(on: context) { _ in 7 }
        case .using:
          return Promise<Int>.using({ done }, release: { _ in Promise.fulfilled(()) }, on: context, { _ in inner })
        case .release:
          return Promise<Int>.using({ done }, release: { _ in inner }, on: context, { _ in done })
        case .join: return Promise.fulfilled(inner).join()
        }
      }
    }

    @Test(
      "Thousands of nested cleanups end one after the other without recursion", .rule("2.10", "6.4"),
      arguments: CleaningOperator.allCases)
    func nestedCleanups(_ kind: CleaningOperator) async {
      // The search for a ring looks at everything inside a result that a release waits for, so its time is quadratic.
      let depth = kind == .release ? 200 : Effort.of(5_000, full: 100_000)
      await DeepThread.worker.expect {
        let leaf = Deferred<Int>()
        let context = Trampoline()
        var end = leaf.promise
        for _ in 0..<depth { end = kind.nest(end, on: context) }
        context.run()
        let wasPending = end.isPending
        leaf.fulfill(7)
        context.run()
        return wasPending && end.state.value == 7
      }
    }

    @Test(
      "A ring of 100,000 promises is found, whichever of them closes it, and rejects all of them", .rule("3.2"),
      arguments: [0, 50_000, 99_999])
    func ring(closing: Int) async {
      let size = 100_000
      for thread in DeepThread.most {
        await thread.expect {
          let owners = (0..<size).map { _ in Deferred<Int>() }
          for index in 0..<size where index != closing { owners[index].follow(owners[(index + 1) % size].promise) }
          let wasPending = owners[closing].promise.isPending
          owners[closing].follow(owners[(closing + 1) % size].promise)
          return wasPending && owners.allSatisfy { $0.promise.failure?.code == .cycle }
        }
      }
    }
  }
}
