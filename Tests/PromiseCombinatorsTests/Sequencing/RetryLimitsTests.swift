import PromiseCombinators
import TestSupport
import Testing

@Suite("retry: limits, cancellation, lifetime and order", .leavingNothing) struct RetryLimitsTests {
  let world = TestWorld()
  private let context = ManualContext()
  private let count = Log<Int>()

  @Test("retry makes attempts one at a time, on its context and not inside the call")
  func oneAtATime() {
    let promise = world.run {
      Promise<Int>.retry(attempts: 3, backoff: .constant(.seconds(1)), on: context) {
        count.append(1)
        throw TestError(count.entries.count)
      }
    }
    world.advance(by: .seconds(10))
    #expect(count.entries.isEmpty)
    #expect(context.count == 1)
    for attempt in 1...3 {
      context.runUntilIdle()
      #expect(count.entries.count == attempt)
      #expect(world.armed == (attempt < 3 ? 1 : 0))
      world.advance(by: .seconds(10))
    }
    context.runUntilIdle()
    #expect(promise.failure == .test(3))
  }

  @Test(
    "An attempt that another consumer wants goes on when the retry is cancelled", .rule("4.4", "4.6"),
    arguments: CancelForm.allCases)
  func wanted(_ form: CancelForm) {
    let owner = Deferred<Int>()
    let other = world.run { owner.promise.map(on: world.main) { $0 } }
    let promise = world.start { Promise.retry(attempts: 4) { count.append(1, returning: owner.promise) } }
    form.apply(to: promise)
    #expect(promise.isCancelled)
    #expect(owner.promise.isPending)
    #expect(other.isPending)
    owner.reject(TestError(1))
    world.advance(by: .seconds(10))
    #expect(count.entries.count == 1)
    #expect(world.armed == 0)
  }

  @Test(
    "A retry that is cancelled before its first or a later attempt runs nothing more and releases its captures",
    .rule("2.5", "4.9"), arguments: 0..<4, CancelForm.allCases)
  func captures(_ moment: Int, _ form: CancelForm) {
    let census = Tracked.Census()
    let promise = world.run {
      Promise<Int>.retry(attempts: 4, on: context) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { count.append(1) }
        throw TestError()
      }
    }
    // The attempt waits in the queue of the context, then the pause begins, and both happen again.
    for step in 0..<moment {
      if step.isMultiple(of: 2) { context.runUntilIdle() } else { world.advance(by: .seconds(1)) }
    }
    let before = count.entries.count
    form.apply(to: promise)
    #expect(promise.isCancelled)
    #expect(world.armed == 0)
    context.runUntilIdle()
    world.advance(by: .seconds(10))
    context.runUntilIdle()
    #expect(census.living == 0)
    #expect(count.entries.count == before)
    #expect(before == (moment + 1) / 2)
  }

  @Test("A context that drops an attempt does not leave the retry pending", .rule("6.2"), arguments: [false, true])
  func dropped(_ onlyOnce: Bool) {
    let census = Tracked.Census()
    let promise = world.run {
      Promise<Int>.retry(attempts: 3, on: context) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { .fulfilled(1) }
      }
    }
    context.dropAll()
    for _ in 0..<5 {
      world.advance(by: .seconds(10))
      if onlyOnce { context.runUntilIdle() } else { context.dropAll() }
    }
    #expect(!promise.isPending)
    #expect(census.living == 0)
    #expect(world.armed == 0)
    #expect(onlyOnce || promise.failure?.code == .contextDropped)
  }

  @Test(
    "retry shows the progress of the first attempt, and each later one adds a share of the rest", .rule("5.1", "5.4"))
  func progress() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let count = Locked(-1)
    let promise = world.start { Promise.retry(attempts: 3) { owners[count.increment()].promise } }
    var seen: [Double] = []
    for (number, progress) in [0.5, 0.25, 0.75].enumerated() {
      owners[number].report(progress: progress)
      seen.append(promise.progress)
      if number < 2 { owners[number].reject(TestError()) } else { owners[number].fulfill(1) }
      world.advance(by: .seconds(1))
    }
    #expect(seen[..<2] == [0.5, 0.625])
    // The third attempt adds a share of a half or of three eighths, because the library may have bypassed the promise
    // of the second attempt (rule 3.3).
    #expect(seen[2] == 0.875 || seen[2] == 0.90625)
    #expect(promise.progress == 1)
  }

  @Test("A retry that no client holds runs to its end, and only its last error is reported", .rule("6.1", "7.1"))
  func forgotten() throws {
    let report = #expect(throws: WorldReport.self) {
      try TestWorld.run { world in
        // An observer is a consumer of the promise, which no client retains.
        Promise<Int>.retry(attempts: 3) {
          count.append(1)
          throw TestError(count.entries.count)
        }.onFulfilled(on: world.main) { _ in }
        _ = Promise<Int>.retry(attempts: 3) { throw TestError(9) }.recover { _ in 0 }
        world.advance(by: .seconds(5))
      }
    }
    #expect(report?.unhandledRejections.map { ($0.error as? TestError)?.number } == [3])
    #expect(count.entries.count == 3)
    #expect(
      report?.pending.isEmpty == true && report?.timers.isEmpty == true && report?.secondSettlements.isEmpty == true)
  }

  @Test(
    "retry asks for each pause once, by the number of the retry from 1, and accepts zero, less and extreme length",
    arguments: [Duration.zero, .seconds(-5), .seconds(Int64.max)])
  func pauses(_ pause: Duration) {
    let count = Log<Int>()
    let asked = Log<Int>()
    let promise = world.run {
      Promise<Int>.retry(attempts: 4, backoff: Backoff { asked.append($0, returning: pause) }) {
        count.append(1)
        throw TestError(count.entries.count)
      }
    }
    world.advance(by: .seconds(1_000_000))
    #expect(pause > .zero ? promise.isPending && count.entries.count == 1 : promise.failure == .test(4))
    #expect(asked.entries == (pause > .zero ? [1] : [1, 2, 3]))
    promise.cancel()
    #expect(world.armed == 0)
  }

  /// Checks that the pauses of a backoff grow, stay within the limit and reach it. With jitter, pauses lie between zero
  /// and the pause without jitter.
  private func check(_ backoff: Backoff, upTo limit: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    var last = Duration.zero
    for retry in [1, 2, 3, 10, 60, 100, 1_000, 1_000_000, .max] {
      let pause = backoff.pause(before: retry)
      #expect(pause >= last && pause <= limit, "retry \(retry)", sourceLocation: sourceLocation)
      last = pause
      let jittered = backoff.jittered { 0.999 }.pause(before: retry)
      #expect(jittered >= .zero && jittered <= pause, sourceLocation: sourceLocation)
      #expect(backoff.jittered { 0 }.pause(before: retry) == .zero, sourceLocation: sourceLocation)
    }
    #expect(last == limit, sourceLocation: sourceLocation)
  }

  @Test("Exponential pauses grow to their cap, whatever the number of the retry, the factor and the first pause")
  func backoff() {
    let week = Duration.seconds(604_800)
    check(.exponential(first: .seconds(1), factor: 1), upTo: .seconds(1))
    check(.exponential(first: .seconds(1), cap: .seconds(Int64.max)), upTo: .seconds(Int64.max))
    check(.exponential(first: .nanoseconds(1), factor: 10, cap: week), upTo: week)
    check(.exponential(first: .seconds(100), factor: 2, cap: .seconds(10)), upTo: .seconds(10))
    check(.exponential(first: .seconds(1), cap: .seconds(-1)), upTo: .zero)
    check(.constant(.seconds(Int64.max)), upTo: .seconds(Int64.max))
    check(.constant(.seconds(-1)), upTo: .zero)
    #expect(Backoff.exponential(first: .seconds(2), factor: 1.5).pause(before: 3) == .milliseconds(4_500))
    for factor in [1e300, .greatestFiniteMagnitude, .infinity] {
      check(.exponential(first: .seconds(1), factor: factor), upTo: .seconds(60))
    }
    for first in [Duration.seconds(-1), .zero] { check(.exponential(first: first), upTo: .zero) }
    // A number below 1 counts as 1.
    let backoff = Backoff.exponential(first: .seconds(2))
    for retry in [Int.min, -1, 0, 1] { #expect(backoff.pause(before: retry) == .seconds(2)) }
  }

  @Test("The longest pauses neither trap nor become shorter")
  func longest() {
    for longest in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
      let jittered = Backoff.constant(longest).jittered { 1 }.pause(before: 1)
      #expect(jittered == longest)
      let nearly = Backoff.constant(longest).jittered { 1 - .ulpOfOne / 2 }.pause(before: 1)
      #expect(nearly > longest / 2)
      #expect(nearly <= longest)
      let shortest = Backoff.constant(longest).jittered { .leastNonzeroMagnitude }.pause(before: 1)
      #expect(shortest >= .zero)
      #expect(shortest < .seconds(1))
      check(.exponential(first: .seconds(1), cap: longest), upTo: longest)
      check(.exponential(first: longest, factor: 1, cap: longest), upTo: longest)
    }
    #expect(Backoff.constant(Duration(attoseconds: .min)).jittered { 1 }.pause(before: 1) == .zero)
  }
}
