import Foundation
import Synchronization
import Testing

@testable import bench

@Suite("Worker threads of a round")
struct WorkerThreadsTests {
  @Test("Each worker thread runs once, and all worker threads run at the same time")
  func together() {
    let seen = Mutex<[Int]>([])
    let inside = Atomic<Int>(0)
    let time = WorkerThreads.nanoseconds(per: 1, threads: 8) { number in
      inside.add(1, ordering: .relaxed)
      // No thread ends before all threads have started, so the test would hang if fewer threads could run at a time.
      while inside.load(ordering: .relaxed) < 8 { sched_yield() }
      seen.withLock { $0.append(number) }
    }
    #expect(time > 0)
    #expect(seen.withLock { $0.sorted() } == Array(0..<8))
  }
}
