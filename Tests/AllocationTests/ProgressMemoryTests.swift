import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of progress. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of progress") struct ProgressMemoryTests {
    private let context = HeldJobs()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    private func reported() -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.report(progress: 0.5)
      return deferred
    }

    private func below(_ deferred: Deferred<Int>) -> (Deferred<Int>, Promise<Int>) {
      (deferred, deferred.promise.map(on: context) { $0 &+ 1 })
    }

    @Test("The first report and the first read of derived progress allocate a side table, and further ones nothing")
    func report() {
      expectAllocations([160], of: Deferred<Int>()) { $0.report(progress: 0.5) }
      expectAllocations([], of: reported()) { $0.report(progress: ($0.promise.progress + 1) / 2) }
      // An owner's promise without reports has no progress to keep.
      expectAllocations([], of: Deferred<Int>()) { $0.promise.progress }
      // The side table keeps the last progress that was read, so that progress never falls.
      expectAllocations([160], of: below(reported())) { $1.progress }
    }

    private func observe(_ promise: Promise<Int>) { promise.onProgress(on: context) { _ in } }

    @Test("onProgress on an owner's promise and on a derived promise has the committed allocations")
    func onProgress() {
      // The blocks are the observer (80: header 16, index 8, context 16, body 16, lock and flags 8, value 8, delivery 8), the list of
      // observers (40) and the side table (160).
      expectAllocations([40, 80, 160], of: Deferred<Int>()) { observe($0.promise) }
      // The blocks 40, 80 and 160 are the same as for an owner's promise. The derived promise also needs a watch (64),
      // two lists of watches (40 each), records for weak references to the derived promise and to the owner's promise
      // (32 each), and a list for the visited promises (96). The owner's promise needs a side table (160) and the set
      // of watchers (120).
      expectAllocations(
        blocks: 11, bytes: 864, of: owned { $0.map(on: context) { $0 &+ 1 } }
      ) { observe($1) }
    }

    @Test("A delivered report has the committed allocations, and a report to a slower observer none", .rule("5.5"))
    func delivery() {
      // The blocks are an observer without a source (166) with its job (25), and the delivery (34: header 16,
      // observer 8, site 8, two flags 2).
      Growth.expect(perStep: [25, 34, 166], kept: 0) { count in
        let deferred = Deferred<Int>()
        deferred.promise.onProgress(on: context) { _ in }
        for step in 1...count {
          deferred.report(progress: Double(step) / 32)
          context.run()
        }
        return deferred
      }
      // The first report creates the delivery. The other reports change a number in it.
      Growth.expect(perStep: []) { count in
        let deferred = Deferred<Int>()
        deferred.promise.onProgress(on: context) { _ in }
        for step in 1...count { deferred.report(progress: Double(step) / 32) }
        context.run()
        return deferred
      }
    }

    @Test("A whole weight and progressUpdates allocate nothing, and other weights and iterators a few blocks")
    func weight() {
      // The block is the link. A word that the link already has stores whole numbers.
      expectAllocations([166]) { promise.map(on: context, weight: 3) { $0 &+ 1 } }
      // The side table keeps the weight.
      expectAllocations([160, 166]) { promise.map(on: context, weight: 0.5) { $0 &+ 1 } }
      expectAllocations([]) { promise.progressUpdates }
      // The blocks are the iterator's subscription (32: header 16, promise 8, stream 8), the stream (64), the side
      // table (160) and its list of observers (40).
      expectAllocations([32, 40, 64, 160], of: Deferred<Int>()) { $0.promise.progressUpdates.makeAsyncIterator() }
    }
  }
}
