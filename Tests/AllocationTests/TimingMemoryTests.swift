import PromiseCombinators
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of operators that wait for a time. `LinkMemoryTests` explains the lists. `HeldTimers` keeps
  /// its timers in a list with reserved capacity, so the blocks of a real timer are not counted.
  @Suite("Allocations of timing operators") struct TimingMemoryTests {
    private let deferred = Deferred<Int>()
    private let timers = HeldTimers()
    private var promise: Promise<Int> { deferred.promise }

    @Test("after has the committed allocations, even when its timer fires")
    func after() {
      // The blocks are the owner (24), its promise (72) with a side table (160), the client promise (72) with its
      // record for weak references (32), the timer's closure (41), the hook (32) and the list of hooks (88).
      let value = expectAllocations(blocks: 8, bytes: 521) {
        Promise.after(.seconds(60), fulfill: 1, timers: timers)
      }
      // The timer's closure takes 33 instead of 41, because it keeps no value.
      let none = expectAllocations(blocks: 8, bytes: 513) { Promise.after(.seconds(60), timers: timers) }
      // The error's box (32) is one more block. The timer's closure keeps the error.
      let error = expectAllocations(blocks: 9, bytes: 553) {
        Promise<Int>.after(.seconds(60), reject: CancellationError(), timers: timers)
      }
      for promise in [value, none, error] as [AnyPromise] { promise.cancel() }
      // The list is the same as before the timer fires.
      expectAllocations(blocks: 8, bytes: 521) {
        let promise = Promise.after(.seconds(60), fulfill: 1, timers: timers)
        timers.ring()
        return promise
      }
    }

    @Test("Cancelling a promise from after has the committed allocations", .rule("4.9"))
    func cancelling() {
      // The cancellation of any pending promise needs the error's box (32) and a list (104). The hook that stops the
      // timer needs the due hook (88), the list of due hooks (40) and the list of such lists in the queue (72).
      let growth = Growth.counted(of: Promise.after(.seconds(60), fulfill: 1, timers: timers)) { $0.cancel() }
      #expect(growth.perStep == [32, 40, 72, 88, 104])
    }

    @Test("delay has the committed allocations before and when its time begins")
    func delay() {
      // `delay` is a `then`, with a link (166) and a function (48). Its closure takes 88 (header 16, delay 16, timers
      // 16, file and line 32, type 8).
      let delayed = expectAllocations([48, 88, 166]) { promise.delay(.seconds(60), timers: timers) }
      delayed.cancel()
      // The blocks are those of `after`. `InlineContext` gets its job without a block.
      expectAllocations(blocks: 8, bytes: 521, of: owned { $0.delay(.seconds(60), timers: timers) }) {
        deferred, _ in deferred.fulfill(1)
      }
    }

    @Test("timeout has the committed allocations, whether it expires or its promise settles in time")
    func timeout() {
      // The blocks are the link (166), the timer's closure (49: header 16, site 8, link 8, promise 8, error 8, flag
      // 1), the closure that cancels the timer (32), a function around that closure (32), and the observer
      // (166).
      let limited = expectAllocations(blocks: 5, bytes: 445) { promise.timeout(.seconds(60), timers: timers) }
      limited.cancel()
      // The queue of promises to fire contains the derived promise.
      expectAllocations([104], of: owned { $0.timeout(.seconds(60), timers: timers) }) {
        deferred, _ in deferred.fulfill(1)
      }
      // The timeout itself takes 32, 32, 49, 166 and 166, and its error takes 73. The timeout rejects the derived
      // promise and gives up the source, so there are the list of settled promises (104), which gets room for eight
      // (608), the list of departures (72), and the list of those that have settled something (56).
      expectAllocations(blocks: 10, bytes: 1350, of: Deferred<Int>()) {
        let limited = $0.promise.timeout(.seconds(60), timers: timers)
        timers.ring()
        return limited
      }
      // The promise is referenced weakly, with a box (24) and a record (32). The other blocks are the timer's closure
      // (40: header 16, box 8, site 8, type 8), the closure that cancels the timer (32), a function around that closure
      // (32), and the observer (166).
      expectAllocations(blocks: 6, bytes: 326, of: Deferred<Int>()) {
        $0.timeout(.seconds(60), timers: timers)
      }
    }

    @Test("Each further waiting timer allocates one block, and its cancellation none")
    func timer() {
      let queue = TimerQueue { _ in }
      // The entry takes 88 (header 16, deadline 8, site 8, ticket 8, heap index 9, action 16, keeper 16, and padding).
      // The closure captures nothing.
      Growth.expect(perStep: [88]) { count in (0..<count).map { queue.schedule(at: UInt64($0)) {} } }
      expectAllocations([], of: queue.schedule(at: 1) {}) { $0.cancel() }
    }
  }
}
