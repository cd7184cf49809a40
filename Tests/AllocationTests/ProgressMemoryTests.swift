import PromiseCore
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of progress. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of progress")
  struct ProgressMemoryTests {
    private let shelf = Shelf()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    private func reported() -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.report(progress: 0.5)
      return deferred
    }

    private func below(_ deferred: Deferred<Int>) -> (Deferred<Int>, Promise<Int>) {
      (deferred, deferred.promise.map(on: shelf) { $0 &+ 1 })
    }

    @Test("The first report allocates the side table, and the next report allocates nothing")
    func report() {
      let (_, first) = Allocations.counted(of: Deferred<Int>()) { $0.report(progress: 0.5) }
      #expect(first.requested == [152])
      let (_, next) = Allocations.counted(of: reported()) { $0.report(progress: ($0.promise.progress + 1) / 2) }
      #expect(next.requested == [])
    }

    private func observe(_ promise: Promise<Int>) { promise.onProgress(on: shelf) { _ in } }

    @Test("onProgress on an owner's promise has the committed allocations")
    func onProgress() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { observe($0.promise) }
      // The blocks are the observer (75: header 16, context 16, body 16, values 16 and flags), the list of observers
      // (40) and the side table (152).
      #expect(allocations.requested == [40, 75, 152])
    }

    @Test("onProgress on a derived promise has the committed allocations")
    func onProgressDerived() {
      let (_, allocations) = Allocations.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }) { observe($1) }
      // The blocks 40, 75 and 152 are the same as for an owner's promise. The derived promise also needs a watch (48),
      // the list of watches (40), and records for weak references to the derived promise and to the owner's promise (32
      // each). The trail needs steps (80 and 128), posts (40) and a list of the visited promises (64). The owner's
      // promise needs a side table (152) and the set of watchers (104).
      #expect(allocations.requested == [32, 32, 40, 40, 40, 48, 64, 75, 80, 104, 128, 152, 152])
    }

    @Test("Each further report that is delivered has the committed allocations and keeps no block", .rule("5.5"))
    func delivery() {
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        deferred.promise.onProgress(on: shelf) { _ in }
        for step in 1...count {
          deferred.report(progress: Double(step) / 32)
          shelf.run()
        }
        return deferred
      }
      // The blocks are a fulfilled promise (72), an observer of it (164) with its job (25), and the delivery (25:
      // header 16, observer 8, flag 1).
      #expect(growth.perStep == [25, 25, 72, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further report to a slower observer allocates nothing", .rule("5.5"))
    func slow() {
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        deferred.promise.onProgress(on: shelf) { _ in }
        for step in 1...count { deferred.report(progress: Double(step) / 32) }
        shelf.run()
        return deferred
      }
      // The first report creates the delivery. The other reports change a number in it.
      #expect(growth.perStep == [])
    }

    @Test("Reading the progress allocates nothing for an owner's promise and the side table for a derived promise")
    func read() {
      let (_, owner) = Allocations.counted(of: Deferred<Int>()) { $0.promise.progress }
      // An owner's promise without reports has no progress to keep.
      #expect(owner.requested == [])
      let (_, derived) = Allocations.counted(of: below(reported())) { $1.progress }
      // The side table keeps the last progress that was read, so that progress never falls.
      #expect(derived.requested == [152])
    }

    @Test("A weight allocates nothing unless it is not a whole number")
    func weight() {
      let (_, whole) = Allocations.counted { promise.map(on: shelf, weight: 3) { $0 &+ 1 } }
      // The block is the link. A word that the link already has stores whole numbers.
      #expect(whole.requested == [164])
      let (_, half) = Allocations.counted { promise.map(on: shelf, weight: 0.5) { $0 &+ 1 } }
      // The side table keeps the weight.
      #expect(half.requested == [152, 164])
    }

    @Test("progressUpdates allocates nothing, and its iterator has the committed allocations")
    func updates() {
      let (_, sequence) = Allocations.counted { promise.progressUpdates }
      #expect(sequence.requested == [])
      let (_, iterator) = Allocations.counted(of: Deferred<Int>()) {
        $0.promise.progressUpdates.makeAsyncIterator()
      }
      // The blocks are the iterator's subscription (32: header 16, promise 8, stream 8), the stream (56), the side
      // table (152) and its list of observers (40).
      #expect(iterator.requested == [32, 40, 56, 152])
    }
  }
}
