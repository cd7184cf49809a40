import Dispatch
import TestSupport
import Testing

/// Tests timers with the real clock, so they check only behaviour that does not depend on its speed.
@Suite("Timers on Dispatch", .leavingNothing, .bounded) struct DispatchTimersTests {
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
    #expect(before > .zero)
    #expect(between >= before)
    #expect(timers.elapsed >= between + .milliseconds(1))
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
    #expect(log.entries.isEmpty)
    #expect(census.living == 3)
    #expect(timers.allSatisfy { $0.cancel() })
    #expect(census.living == 0)
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
}
