import PromiseCombinators
import Testing

extension MemoryTests {
  /// What operators take that wait for a time. Lists as in `LinkMemoryTests`. The timers are kept in a list that has
  /// room, so what a timer takes is not in them.
  @Suite("timing")
  struct TimingMemoryTests {
    private let deferred = Deferred<Int>()
    private let timers = HeldTimers()
    private var promise: Promise<Int> { deferred.promise }

    @Test("row B5: after")
    func after() {
      let (promise, allocations) = Allocations.counted { Promise.after(.seconds(60), fulfill: 1, timers: timers) }
      // The owner 24, its promise 72 with a side table 161, and the client promise 72 with its record for weak
      // references
      // 32. The action of the timer 41, the hook 32, and the list of hooks 96.
      #expect(allocations.requested == [24, 32, 32, 41, 72, 72, 96, 161])
      promise.cancel()
    }

    @Test("row B5: after, with no value")
    func afterVoid() {
      let (promise, allocations) = Allocations.counted { Promise.after(.seconds(60), timers: timers) }
      // The same, where the timer's closure has no value to keep: 33 for 41.
      #expect(allocations.requested == [24, 32, 32, 33, 72, 72, 96, 161])
      promise.cancel()
    }

    @Test("row B6: after, rejecting")
    func afterReject() {
      let (promise, allocations) = Allocations.counted {
        Promise<Int>.after(.seconds(60), reject: CancellationError(), timers: timers)
      }
      // The same, with the error's box 32. Here the timer's closure keeps that.
      #expect(allocations.requested == [24, 32, 32, 32, 41, 72, 72, 96, 161])
      promise.cancel()
    }

    @Test("row B5: the time of an after comes")
    func ringing() {
      let (_, allocations) = Allocations.counted {
        let promise = Promise.after(.seconds(60), fulfill: 1, timers: timers)
        timers.ring()
        return promise
      }
      // As above. To ring takes nothing.
      #expect(allocations.requested == [24, 32, 32, 41, 72, 72, 96, 161])
    }

    @Test("rule 4.9: an after is cancelled")
    func cancelling() {
      let growth = Growth.counted(of: Promise.after(.seconds(60), fulfill: 1, timers: timers)) { $0.cancel() }
      // The error's box.
      #expect(growth.perStep == [32])
    }

    @Test("row D15: delay, until its time begins")
    func delay() {
      let (delayed, allocations) = Allocations.counted { promise.delay(.seconds(60), timers: timers) }
      // A `then`: promise 72, adopting link 152, function 32. What it keeps until the time begins 88 (delay 16, timers
      // 16, file and line 24, type).
      #expect(allocations.requested == [32, 72, 88, 152])
      delayed.cancel()
    }

    @Test("row D15: the time of a delay begins")
    func delaying() {
      let (_, allocations) = Allocations.counted(of: owned { $0.delay(.seconds(60), timers: timers) }) { deferred, _ in
        deferred.fulfill(1)
      }
      // An `after`, as above, and the copier 24 of the promise that adopts it.
      #expect(allocations.requested == [24, 24, 32, 32, 41, 66, 72, 72, 96, 161])
    }

    @Test("row D16: timeout")
    func timeout() {
      let (limited, allocations) = Allocations.counted { promise.timeout(.seconds(60), timers: timers) }
      // The derived promise 72, its link 97, the copier 24. What the timer runs 41; what cancels it 32, its function
      // 32, and the observer 97.
      #expect(allocations.requested == [24, 32, 32, 32, 48, 72, 97, 97])
      limited.cancel()
    }

    @Test("row D16: a timeout whose promise comes in time")
    func inTime() {
      let (_, allocations) = Allocations.counted(of: owned { $0.timeout(.seconds(60), timers: timers) }) {
        deferred, _ in deferred.fulfill(1)
      }
      // The nodes of both promises: what comes to be below the derived one is found from the other, too.
      #expect(allocations.requested == [66, 66])
    }

    @Test("row D16: the time of a timeout is up")
    func tooLate() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) {
        let limited = $0.promise.timeout(.seconds(60), timers: timers)
        timers.ring()
        return limited
      }
      // As a timeout (24, 32, 32, 41, 72, 97, 97); `timedOut` in its box 73; and the source's side table 161,
      // which says that nobody need look at it.
      #expect(allocations.requested == [24, 32, 32, 32, 48, 72, 73, 73, 97, 97, 160])
    }

    @Test("row D16: the owner's own timeout")
    func deferredTimeout() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) {
        $0.timeout(after: .seconds(60), timers: timers)
      }
      // The promise is held weakly: its box 24 and the record for it 32. What the timer runs 40 (box 8, site 8, type
      // 8). What cancels the timer 32, its function 32, and the observer 97.
      #expect(allocations.requested == [24, 32, 32, 32, 32, 40, 97])
    }

    @Test("W9, row L13: one more timer that waits, and is cancelled")
    func timer() {
      let queue = TimerQueue { _ in }
      let waiting = Growth.counted { count in (0..<count).map { queue.schedule(at: UInt64($0)) {} } }
      // The entry: header 16, deadline 8, site 8, ticket 8, heap index 9, action 16, keeper 16. The closure captures
      // nothing.
      #expect(waiting.perStep == [88])
      let (_, cancelling) = Allocations.counted(of: queue.schedule(at: 1) {}) { $0.cancel() }
      // What adapts the action, so that it can be handed out of the lock.
      #expect(cancelling.requested == [32])
    }
  }
}
