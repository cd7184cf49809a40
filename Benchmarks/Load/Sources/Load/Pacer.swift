import Foundation
import Synchronization

/// A thread that begins the operations of loads.
final class Pacer: Sendable {
  private let loads: [any Load]
  private let failure = Mutex<(any Error)?>(nil)
  private let hasStarted = DispatchSemaphore(value: 0)
  private let isStopped = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ loads: [any Load]) { self.loads = loads }

  /// Returns when all populations have started.
  ///
  /// They start on the thread that replaces them. With another thread, the allocator would keep the memory of the first
  /// population for a thread that makes no other.
  func start() throws {
    Thread { [self] in
      do {
        for load in loads { try load.start() }
      } catch {
        failure.withLock { $0 = error }
      }
      hasStarted.signal()
      run()
      hasEnded.signal()
    }.start()
    hasStarted.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Returns when no further operation begins.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    hasEnded.wait()
  }

  private func run() {
    var due = [Double](repeating: 0, count: loads.count)
    var last = ContinuousClock.now
    while !isStopped.load(ordering: .relaxed) {
      Thread.sleep(forTimeInterval: 0.01)
      // After a stop of the process, the operations that were missed are not made up for.
      let passed = min(last.duration(to: .now).seconds, 0.25)
      last = .now
      for (index, load) in loads.enumerated() {
        due[index] += load.rate * passed
        let count = Int(due[index])
        due[index] -= Double(count)
        if count > 0 { load.proceed(count) }
      }
    }
  }
}
