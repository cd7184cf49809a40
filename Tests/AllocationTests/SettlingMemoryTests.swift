import Dispatch
import PromiseContexts
import Testing

extension MemoryTests {
  /// What settling and running takes: the aim is nothing but what Dispatch needs for a job.
  @Suite("settling")
  struct SettlingMemoryTests {
    /// Keeps jobs in a list that has room, so that the context itself allocates nothing.
    private final class Shelf: ExecutionContext, @unchecked Sendable {
      // `@unchecked`: used by one thread.
      private var jobs: [Job] = []
      init() { jobs.reserveCapacity(8) }
      func schedule(_ job: consuming Job) { jobs.append(job) }
      func run() { while let job = jobs.popLast() { job.run() } }
    }

    private let shelf = Shelf()

    @Test("a settlement with one handler allocates nothing, nor does running it")
    func oneHandler() {
      let deferreds = (0..<2).map { _ in
        let deferred = Deferred<Int>()
        _ = deferred.promise.map(on: shelf) { $0 &+ 1 }
        return deferred
      }
      var next = deferreds.makeIterator()
      let (_, allocations) = Allocations.counted {
        next.next()?.fulfill(1)
        shelf.run()
      }
      #expect(allocations.requested == [])
      // The link and the derived promise.
      #expect(allocations.releases == 2)
    }

    @Test("a settlement with several handlers makes one scope, which lists what is active below")
    func severalHandlers() {
      let deferreds = (0..<2).map { _ in
        let deferred = Deferred<Int>()
        for _ in 0..<3 { _ = deferred.promise.map(on: shelf) { $0 &+ 1 } }
        return deferred
      }
      var next = deferreds.makeIterator()
      let (_, allocations) = Allocations.counted {
        next.next()?.fulfill(1)
        shelf.run()
      }
      // The `KinScope` (136), with room for one link, and its list of four others: header 32, references 32.
      #expect(allocations.requested == [64, 136])
    }

    /// Dispatch's own records of enqueued blocks have 64 bytes. A thread that ran blocks before has a cache of them,
    /// another allocates one, so they are no part of the gate.
    private func withoutContinuations(_ allocations: Allocations) -> [Int] { allocations.requested.filter { $0 != 64 } }

    @Test("a handler on a queue is one block of Dispatch")
    func onQueue() {
      let queue = DispatchQueue(label: "suspended")
      queue.suspend()
      defer { queue.resume() }
      let deferreds = (0..<2).map { _ in
        let deferred = Deferred<Int>()
        _ = deferred.promise.map(on: queue) { $0 &+ 1 }
        return deferred
      }
      var next = deferreds.makeIterator()
      let (_, settling) = Allocations.counted { next.next()?.fulfill(1) }
      // The block: header 32, closure 16. What `queue.async` itself costs with a closure that captures nothing.
      #expect(withoutContinuations(settling) == [48])
      let (_, dispatch) = Allocations.counted { queue.async {} }
      #expect(withoutContinuations(dispatch) == [48])
    }
  }
}
