import PromiseCombinators
import Testing

extension MemoryTests {
  /// Tests the allocations of `retry`. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of retry")
  struct RetryingMemoryTests {
    private let shelf = Shelf()
    private let timers = HeldTimers()

    @Test("retry has the committed allocations before its closure runs, and a fulfilled attempt none")
    func retry() {
      // One object keeps all arguments of `retry` (193). The first attempt needs a function (40), a promise (164), which
      // is an entry, and a job (25). The next attempt is prepared by a closure (40: header 16, object 8, number 8,
      // result 8), a function (40) and a link (164). The backoff has a closure (32).
      expectAllocations([25, 32, 40, 40, 40, 164, 164, 193]) {
        Promise<Int>.retry(on: shelf, timers: timers) { .fulfilled(1) }
      }
      expectAllocations([], of: Promise<Int>.retry(on: shelf, timers: timers) { .fulfilled(1) }) {
        _ in shelf.run()
      }
    }

    @Test("Each further attempt has the committed allocations and keeps no block")
    func attempt() {
      let failed = Promise<Int>.rejected(Failure())
      // The attempt takes the same blocks as above without the object, the backoff and the job (40, 40, 40, 164 and 164). The
      // pause is an `after` (24, 32, 32, 33, 72, 72, 88 and 152, see `TimingMemoryTests`). The attempt after the pause
      // is a `thenOwned`, with a closure (40), a function (40) and a link (164). There are the jobs of that link and of the
      // link that prepares the next attempt (25 each). The attempt's promise is already rejected, so there is the queue
      // of promises to fire (96). The remaining two blocks are lists (40 each).
      Growth.expect(
        perStep: [24, 25, 25, 32, 32, 33, 40, 40, 40, 40, 40, 40, 40, 72, 72, 88, 96, 152, 164, 164, 164], kept: 0
      ) { count in
        let result = Promise.retry(attempts: count + 1, on: shelf, timers: timers) { failed }
        while shelf.run() || timers.ring() {}
        return result
      }
    }

    private struct Failure: Error {}

    @Test("A backoff has the committed allocations, and the computation of a pause allocates nothing")
    func backoff() {
      // The block is the closure that keeps the pause.
      expectAllocations([32]) { Backoff.constant(.seconds(1)) }
      // The closures keep the first pause, the factor and the cap (56), and the wrapped backoff and the source of
      // random numbers (48).
      expectAllocations([48, 56]) { Backoff.exponential(first: .seconds(1)).jittered() }
      let backoff = Backoff.exponential(first: .seconds(1)).jittered { 0.5 }
      expectAllocations([]) { backoff.pause(before: 7) }
    }
  }
}
