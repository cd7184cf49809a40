import PromiseCombinators
import TestSupport
import Testing

@Suite("Sequences and asynchronous sequences", .leavingNothing) struct AsyncSequenceTests {
  private let world = TestWorld()

  @Test(
    "traverse asks for an element only when it has a place for it, and keeps the order of the values",
    arguments: [1, 2, 3], [false, true])
  func backPressure(_ concurrency: Int, isAsync: Bool) {
    let asked = Log<Int>()
    let begun = Log<Int>()
    let owners = (0..<5).map { _ in Deferred<Int>() }
    let body: @Sendable (Int) -> Promise<Int> = { number in begun.append(number, returning: owners[number].promise) }
    let all = world.run {
      isAsync
        ? Promise.traverse(Ticks(5, asked), concurrency: concurrency, on: world.pool, body)
        : Promise.traverse(SingleUseSequence(5, asked), concurrency: concurrency, on: world.pool, body)
    }
    #expect(asked.entries.isEmpty)
    world.runUntilIdle()
    #expect(asked.entries == Array(0..<concurrency))
    #expect(begun.entries == asked.entries)
    for number in (0..<concurrency).reversed() { owners[number].fulfill(number * 10) }
    world.runUntilIdle()
    #expect(begun.entries == Array(0..<min(5, 2 * concurrency)))
    for owner in owners[concurrency...].enumerated() { owner.element.fulfill((owner.offset + concurrency) * 10) }
    world.runUntilIdle()
    #expect(all.state.value == [0, 10, 20, 30, 40])
  }

  @Test(
    "An empty sequence gives no values, and traverse accepts any concurrency, even below 1 or above the number of elements",
    arguments: [.min, -1, 0, 1, 3, 1_000, .max], [false, true])
  func edges(_ concurrency: Int, isAsync: Bool) {
    let results = world.start {
      [0, 3].map { count in
        isAsync
          ? Promise.traverse(Ticks(count), concurrency: concurrency) { .fulfilled($0) }
          : Promise.traverse(0..<count, concurrency: concurrency) { .fulfilled($0) }
      }
    }
    #expect(results.map(\.state.value) == [[], [0, 1, 2]])
  }

  @Test(
    "The first error of an element, its closure or the sequence rejects the result and gives up the rest",
    .rule("4.6", "4.8"), arguments: 0..<3, [false, true])
  func failure(_ kind: Int, isAsync: Bool) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let works = (0..<2).map { _ in StoppableWork() }
    let body: @Sendable (Int) throws -> Promise<Int> = { number in
      if number < 2 { return works[number].promise }
      if kind == 1 { throw TestError(2) }
      return .rejected(TestError(2))
    }
    let all = world.start {
      let ticks = Ticks(asked, Tracked(census)) { number in
        if kind == 2, number == 2 { throw TestError(2) }
        return number
      }
      return isAsync
        ? Promise.traverse(ticks, concurrency: 4, body)
        : Promise.traverse(SingleUseSequence(.max, asked, Tracked(census)), concurrency: 4, body)
    }
    #expect(all.failure == .test(2))
    #expect(!all.isCancelled)
    #expect(asked.entries == [0, 1, 2])
    #expect(works.allSatisfy { $0.isStopped })
    #expect(census.living == 0)
  }

  @Test(
    "A traversal that is cancelled at any time reads and begins nothing more, gives up its elements and releases all",
    .rule("4.6", "4.9", "6.3"), arguments: [false, true], CancelForm.allCases)
  func cancelled(isAsync: Bool, _ form: CancelForm) {
    for steps in 0..<12 { cancel(isAsync: isAsync, form, after: steps) }
  }

  /// Cancels a traversal in the step with this number. The Task that reads an asynchronous sequence is cancelled, too.
  private func cancel(isAsync: Bool, _ form: CancelForm, after steps: Int) {
    let census = Tracked.Census()
    let asked = Log<Int>()
    let begun = Log<Int>()
    let never = Deferred<Int?>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let all = world.run {
      let body: @Sendable (Int) -> Promise<Int> = { [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { begun.append(number) }
        return owners[number].promise
      }
      let ticks = Ticks(asked, Tracked(census)) { $0 < 3 ? $0 : try await never.promise.value(cancelsSource: true) }
      return isAsync
        ? Promise.traverse(ticks, concurrency: 4, body)
        : Promise.traverse(SingleUseSequence(3, asked, Tracked(census)), concurrency: 4, body)
    }
    for _ in 0..<steps { world.step() }
    let before = (asked.entries, begun.entries)
    form.apply(to: all)
    #expect(all.isCancelled && before.1.allSatisfy { owners[$0].promise.isCancelled }, "\(steps) steps")
    world.runUntilIdle()
    #expect(asked.entries == before.0, "\(steps) steps")
    #expect(begun.entries == before.1, "\(steps) steps")
    #expect(census.living == 0, "\(steps) steps")
    #expect(never.promise.isCancelled == (isAsync && before.0.count == 4))
  }

  @Test("traverse calls its closure for one element at a time, even where handlers overlap", arguments: [false, true])
  func oneClosureAtATime(isAsynchronous: Bool) {
    let calls = Log<String>()
    let context = ManualContext()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let body: @Sendable (Int) -> Promise<Int> = { [world] number in
      calls.append("begin \(number)")
      if number == 1 {
        // The worker of the first element goes on while this closure runs. Without the protection under test, its next
        // handler would run here.
        world.runUntilIdle(after: owners[0].fulfill(0))
        context.runUntilIdle()
      }
      calls.append("end \(number)")
      return owners[number].promise
    }
    let all = world.run {
      isAsynchronous
        ? Promise.traverse(Ticks(3), concurrency: 4, on: context, body)
        : Promise.traverse(0..<3, concurrency: 4, on: context, body)
    }
    repeat { world.runUntilIdle() } while context.runUntilIdle() > 0
    #expect(calls.entries == (0..<3).flatMap { ["begin \($0)", "end \($0)"] })
    for (number, owner) in owners.enumerated() { owner.fulfill(number) }
    repeat { world.runUntilIdle() } while context.runUntilIdle() > 0
    #expect(all.state.value == [0, 1, 2])
  }

  @Test("A rejected element rejects a traversal whose Task looks at a request that was given up", .rule("1.2"))
  func rejectionRace() async {
    for _ in 0..<2_000 {
      let all = Promise.traverse(Ticks(.max), concurrency: 3) { _ in Promise<Int>.rejected(TestError(1)) }
      _ = try? await all.value
      #expect(!all.isCancelled)
      #expect(all.failure == .test(1))
    }
  }

  @Test("forEach asks for an element when the element before it is done", arguments: [false, true])
  func forEach(isAsync: Bool) {
    let asked = Log<Int>()
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let all = world.run {
      isAsync
        ? Promise.forEach(Ticks(3, asked)) { owners[$0].promise }
        : Promise.forEach(SingleUseSequence(3, asked)) { owners[$0].promise }
    }
    for number in 0..<3 {
      world.runUntilIdle()
      #expect(asked.entries == Array(0...number))
      #expect(all.isPending)
      owners[number].fulfill(0)
    }
    world.runUntilIdle()
    #expect(asked.entries == [0, 1, 2, 3])
    #expect(all.isFulfilled)
  }

  @Test("asyncTraverse runs at most concurrency closures at a time, and the first error cancels the others")
  func asyncTraverse() {
    let begun = Log<Int>()
    let works = (0..<4).map { _ in StoppableWork() }
    let all = world.start {
      Promise.asyncTraverse(0..<4, concurrency: 2) { number in
        begun.append(number)
        return try await works[number].promise.value(cancelsSource: true)
      }
    }
    #expect(begun.entries == [0, 1])
    world.runUntilIdle(after: works[0].deferred.fulfill(0))
    #expect(begun.entries == [0, 1, 2])
    world.runUntilIdle(after: works[2].deferred.reject(TestError(2)))
    #expect(all.failure == .test(2) && works[1].isStopped && begun.entries == [0, 1, 2])
  }

  @Test(
    "A cancelled asyncRetry cancels its Task in an attempt or a pause, and leaves no timer", .rule("4.6", "4.9"),
    arguments: CancelForm.allCases, [false, true])
  func asyncRetryCancelled(_ form: CancelForm, inPause: Bool) {
    let work = StoppableWork()
    let calls = Log<Int>()
    let result = world.start {
      Promise<Int>.asyncRetry(attempts: 3) {
        calls.append(1)
        if inPause { throw TestError(1) }
        return try await work.promise.value(cancelsSource: true)
      }
    }
    #expect(world.armed == (inPause ? 1 : 0))
    form.apply(to: result)
    #expect(result.isCancelled)
    world.runUntilIdle()
    #expect(world.armed == 0)
    #expect(work.isStopped == !inPause)
    world.advance(by: .seconds(60))
    #expect(calls.entries == [1])
  }
}
