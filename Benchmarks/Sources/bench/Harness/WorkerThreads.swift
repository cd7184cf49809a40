import Dispatch
import Foundation

/// Starts threads for one round. Dispatch would run at most as many threads at a time as there are cores.
enum WorkerThreads {
  /// Returns nanoseconds per unit, from the moment when all threads may start until the last thread has done its work.
  ///
  /// - Parameters:
  ///   - count: the number of units that all threads do together.
  ///   - work: runs once in each thread, and receives the number of the thread, from 0.
  static func nanoseconds(
    per count: Int, threads: Int, work: @escaping @Sendable (_ thread: Int) -> Void
  ) -> Double {
    let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let group = DispatchGroup()
    for number in 0..<threads {
      group.enter()
      Thread.detachNewThread {
        ready.signal()
        start.wait()
        work(number)
        group.leave()
      }
    }
    for _ in 0..<threads { ready.wait() }
    return Stopwatch.nanoseconds(per: count) {
      for _ in 0..<threads { start.signal() }
      group.wait()
    }
  }
}
