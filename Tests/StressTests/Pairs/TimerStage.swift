import PromiseCombinators
import TestSupport

/// Timers, and the promises that wait for them.
final class TimerStage: Sendable {
  let timers = HandTimers()
  let context = ManualContext()
  private let census = Tracked.Census()
  private let made = Locked<[AnyPromise]>([])
  private let prevented = Locked(0)
  /// A timer that rings with the others.
  let timer: any ScheduledTimer
  let source = Deferred<Int>()
  let delayed: Promise<Int>
  let limited: Promise<Int>
  let after: Promise<Int>
  let retrying: Promise<Int>

  init() {
    timer = timers.schedule(after: .seconds(1)) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) {} }
    delayed = Promise.fulfilled(1).delay(.seconds(1), timers: timers)
    limited = source.promise.timeout(.seconds(1), timers: timers)
    after = .after(.seconds(1), fulfill: 1, timers: timers)
    retrying = .retry(attempts: 3, on: context, timers: timers) { [tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { .rejected(TestError()) }
    }
    context.runUntilIdle()
    for promise in [delayed, limited, after, retrying] { keep(promise) }
  }

  func cancelTimer() { if timer.cancel() { prevented.withLock { $0 += 1 } } }
  func track() -> Tracked { Tracked(census) }
  func keep(_ promise: AnyPromise) { made.withLock { $0.append(promise) } }

  func conclude() throws {
    source.fulfill(1)
    var turns = 0
    repeat {
      timers.ring()
      context.runUntilIdle()
      turns += 1
    } while turns < 10 && timers.count > 0
    try Violation.unless(timers.count == 0, "a timer is left")
    try Violation.unless(prevented.withLock(\.self) <= 1, "two cancels have prevented the timer")
    try Violation.unless(made.withLock { $0.allSatisfy { !$0.isPending } }, "pending in the end")
    try Violation.unlessFinished(made.withLock { $0 })
    made.withLock { $0 = [] }
    try Violation.unless(census.living == 0, "\(census.living) closures are left")
  }
}
