import Dispatch
import PromiseContexts
import TestSupport
import Testing

/// Tests timers with the real clock, so they check only behaviour that does not depend on its speed.
@Suite("Timers on Dispatch", .leavingNothing, .bounded)
struct DispatchTimersTests {
  /// Timers that never run an action beside another action, however long that action takes.
  private static let patient = DispatchTimers(roundCheckInterval: 1 << 60)

  @Test(
    "Actions with zero, negative or very short durations run soon, but never inside the call",
    arguments: [.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(1), .milliseconds(1)] as [Duration])
  func soon(_ delay: Duration) async {
    let log = Log<String>()
    let returned = Gate()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let timers: any TimerContext = .dispatch
      timers.schedule(after: delay) {
        // If the action ran inside the call, it would hang here.
        returned.wait("return of schedule(after:)")
        log.append("ran")
        continuation.resume()
      }
      log.append("returned")
      returned.open()
    }
    #expect(log.entries == ["returned", "ran"])
  }

  @Test("The elapsed time grows by at least the duration of a timer, on .standard too")
  func elapsed() async {
    let timers: any TimerContext = .standard
    let before = DispatchTimers.dispatch.elapsed
    let between = timers.elapsed
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      timers.schedule(after: .milliseconds(1)) { continuation.resume() }
    }
    #expect(before > .zero && between >= before && timers.elapsed >= between + .milliseconds(1))
  }

  @Test("Actions run one at a time, in the order of their durations")
  func order() async {
    let log = Log<Int>()
    let timers = Self.patient
    // This timer is scheduled first and is due an hour after the others. No delay between the lines below is that long.
    let last = timers.schedule(after: .seconds(3_600)) { log.append(0) }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      // The first action blocks the timers until all timers are scheduled.
      let all = Gate()
      timers.schedule(after: .zero) {
        all.wait("last timer")
        log.append(1)
      }
      for number in 2...5 {
        timers.schedule(after: .milliseconds(number)) {
          log.append(number)
          if number == 5 { continuation.resume() }
        }
      }
      #expect(log.entries == [])
      all.open()
    }
    #expect(log.entries == [1, 2, 3, 4, 5])
    #expect(last.cancel())
  }

  @Test("Timers with the longest durations are accepted, do not fire and can be cancelled")
  func veryLong() async {
    let census = Tracked.Census()
    let log = Log<String>()
    let delays: [Duration] = [.seconds(Int64.max), Duration(attoseconds: .max), .seconds(100_000_000_000)]
    let timers = delays.map { delay in
      DispatchTimers.dispatch.schedule(after: delay) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { log.append("ran") }
      }
    }
    // The alarm still works after it was set to such a late time.
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { continuation.resume() }
    }
    #expect(log.entries.isEmpty && census.living == 3)
    #expect(timers.allSatisfy { $0.cancel() })
    #expect(census.living == 0)
  }

  @Test("A cancelled timer does not fire, although the timers behind it do", .rule("4.9"))
  func cancelled() async {
    let log = Log<String>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let all = Gate()
      Self.patient.schedule(after: .zero) { all.wait("cancel") }
      let timer = Self.patient.schedule(after: .milliseconds(1)) { log.append("cancelled") }
      Self.patient.schedule(after: .milliseconds(2)) {
        log.append("later")
        continuation.resume()
      }
      #expect(timer.cancel())
      all.open()
    }
    #expect(log.entries == ["later"])
  }

  @Test("Each action can schedule the next timer, and every timer finds the alarm set")
  func repeated() async {
    let count = Locked(0)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      @Sendable func next() {
        let number = count.increment()
        if number == 100 { return continuation.resume() }
        DispatchTimers.dispatch.schedule(after: .microseconds(10), next)
      }
      next()
    }
    #expect(count.withLock { $0 } == 100)
  }

  @Test("Actions may wait for timers whose actions wait for timers")
  func nestedWaits() async {
    @Sendable func wait(depth: Int, then open: @escaping @Sendable () -> Void) {
      DispatchTimers.dispatch.schedule(after: .zero) {
        if depth > 1 {
          let gate = Gate()
          wait(depth: depth - 1) { gate.open() }
          gate.wait("timer \(depth) levels from the end")
        }
        open()
      }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      wait(depth: 20) { continuation.resume() }
    }
  }

  @Test("A hook that waits for a timer inside a timer's action does not stop the timers", .rule("4.5"))
  func waitingHook() async {
    let gate = Gate()
    let owner = Deferred<Int>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      owner.onCancel { _ in
        DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { gate.open() }
        gate.wait("timer of the hook")
        continuation.resume()
      }
      let promise = owner.promise
      DispatchTimers.dispatch.schedule(after: .zero) { promise.cancel() }
    }
    #expect(owner.promise.isCancelled)
  }

  @Test("A context that blocks in its schedule method does not stop the timers")
  func blockingContext() async throws {
    let context = BlockingContext()
    let owner = Deferred<Int>()
    let derived = owner.promise.map(on: context) { $0 + 1 }
    DispatchTimers.dispatch.schedule(after: .zero) { owner.fulfill(1) }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { context.gate.open() }
    #expect(try await derived.value == 2)
  }
}

/// A context that blocks the thread that schedules a job until its gate is open.
private final class BlockingContext: ExecutionContext {
  let gate = Gate()

  func schedule(_ job: consuming Job) {
    gate.wait("other timer")
    DispatchQueue.global().async { [job = copy job] in job.run() }
  }
}
