import PromiseCombinators
import TestSupport
import Testing

@Suite("Loops", .leavingNothing) struct LoopTests {
  let world = TestWorld()
  private let context = ManualContext()

  @Test("A loop begins its steps one at a time and not inside the call, and fulfils without steps", arguments: Loop.all)
  func order(_ loop: Loop) {
    let begun = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let none = world.run { loop.start(0, world.main) { _ in .rejected(TestError()) } }
    let all = world.run {
      loop.start(3, world.main) { number in begun.append(number, returning: owners[number].promise) }
    }
    #expect(begun.entries.isEmpty)
    for number in 0..<3 {
      world.runUntilIdle()
      #expect(begun.entries == Array(0...number))
      #expect(all.isPending)
      owners[number].fulfill(0)
    }
    world.runUntilIdle()
    #expect(all.isFulfilled)
    #expect(none.isFulfilled)
    #expect(begun.entries == [0, 1, 2])
  }

  @Test(
    "A loop that is cancelled at any time begins no further step, stops pending work and releases everything",
    .rule("4.6"), arguments: Loop.all, [false, true])
  func cancelled(_ loop: Loop, _ givesUp: Bool) {
    for steps in 0..<5 {
      let census = Tracked.Census()
      let begun = Log<Int>()
      let owners = (0..<9).map { _ in Deferred<Int>() }
      let context = ManualContext()
      let all = loop.start(9, context) { [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { begun.append(number) }
        return number < 2 ? .fulfilled(number) : owners[number].promise
      }
      for _ in 0..<steps { _ = context.step() }
      let before = begun.entries
      if givesUp { all.cancel(upstream: true) } else { all.cancel() }
      #expect(all.isCancelled && begun.entries.filter { $0 > 1 }.allSatisfy { owners[$0].promise.isCancelled })
      context.runUntilIdle()
      #expect(begun.entries == before)
      #expect(census.living == 0)
    }
  }

  @Test(
    "A loop without clients ends at its first error, which is reported once", .rule("6.1", "7.1"), arguments: Loop.all)
  func forgotten(_ loop: Loop) {
    let begun = Log<Int>()
    let reports = reported {
      let context = ManualContext()
      _ = loop.start(5, context) { number in
        begun.append(number, returning: number == 2 ? .rejected(TestError(2)) : .fulfilled(number))
      }
      _ = loop.start(3, context) { .rejected(TestError($0 + 5)) }.end.recover(on: context) { _ in }
      loop.start(3, context) { .rejected(TestError($0 + 8)) }.cancel(upstream: true)
      context.runUntilIdle()
    }
    #expect(begun.entries == [0, 1, 2])
    #expect(reports == [2])
  }

  @Test(
    "Five thousand settled or pending steps and the error of the last step are handled in a loop", .rule("3.3", "6.4"),
    .slow, arguments: Loop.all, 0..<2)
  func long(_ loop: Loop, _ kind: Int) {
    let census = Tracked.Census()
    let waiting = Locked<Deferred<Int>?>(nil)
    do {
      let all = loop.start(5_000, context) { [tracked = Tracked(census)] number in
        defer { withExtendedLifetime(tracked) {} }
        if number == 4_999 { throw TestError(3) }
        guard kind != 0 else { return .fulfilled(number) }
        let owner = Deferred<Int>()
        waiting.withLock { $0 = owner }
        return owner.promise
      }
      context.runUntilIdle()
      while let owner = waiting.withLock({ $0.take() }) { context.runUntilIdle(after: owner.fulfill(1)) }
      #expect(all.end.failure == .test(3))
    }
    #expect(census.living == 0)
  }

  @Test("A loop keeps nothing of its finished steps", .rule("4.9"), arguments: Loop.all.prefix(2))
  func steps(_ loop: Loop) {
    let census = Tracked.Census()
    let all = loop.start(100, context) { number in
      .run(on: context) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { number } }
    }
    context.runUntilIdle()
    #expect(all.isFulfilled)
    #expect(census.living == 0)
    #expect(census.peak <= 4)
  }

  @Test(
    "A context that drops jobs rejects the loop, and nothing is kept", .rule("6.2"), arguments: Loop.all, [0, 1, 2])
  func dropped(_ loop: Loop, _ steps: Int) {
    let census = Tracked.Census()
    let all = loop.start(9, context) { [tracked = Tracked(census)] number in
      withExtendedLifetime(tracked) { .fulfilled(number) }
    }
    for _ in 0..<steps { _ = context.step() }
    context.dropAll()
    #expect(context.runUntilIdle() == 0)
    #expect(census.living == 0)
    #expect(all.end.failure?.code == .contextDropped)
  }
}
