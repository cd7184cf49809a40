import PromiseCombinators
import TestSupport
import Testing

@Suite("retry: limits, cancellation, lifetime and order", .leavingNothing)
struct RetryLimitsTests {
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
    #expect(count.entries.isEmpty && context.count == 1)
    for attempt in 1...3 {
      context.runUntilIdle()
      #expect(count.entries.count == attempt && world.armed == (attempt < 3 ? 1 : 0))
      world.advance(by: .seconds(10))
    }
    context.runUntilIdle()
    #expect(promise.errorNumber == 3)
  }

  @Test(
    "An attempt that another consumer wants goes on when the retry is cancelled", .rule("4.4", "4.6"),
    arguments: CancelForm.allCases)
  func wanted(_ form: CancelForm) {
    let owner = Deferred<Int>()
    let other = world.run { owner.promise.map(on: world.main) { $0 } }
    let promise = world.start { Promise.retry(attempts: 4) { count.append(1, returning: owner.promise) } }
    form.apply(to: promise)
    #expect(promise.isCancelled && owner.promise.isPending && other.isPending)
    owner.reject(TestError(1))
    world.advance(by: .seconds(10))
    #expect(count.entries.count == 1 && world.armed == 0)
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
    #expect(promise.isCancelled && world.armed == 0)
    context.runUntilIdle()
    world.advance(by: .seconds(10))
    context.runUntilIdle()
    #expect(census.living == 0 && count.entries.count == before && before == (moment + 1) / 2)
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
    #expect(!promise.isPending && census.living == 0 && world.armed == 0)
    #expect(onlyOnce || promise.errorCode == .contextDropped)
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
    #expect(report?.unhandledRejections.map { ($0.error as? TestError)?.number } == [3] && count.entries.count == 3)
    #expect(
      report?.pending.isEmpty == true && report?.timers.isEmpty == true && report?.secondSettlements.isEmpty == true)
  }
}
