import Dispatch
import Foundation
import PromiseContexts
import PromiseCore

/// The jobs that wait for one thread. Each thread that has a context has one queue until the thread ends.
///
///                   add: wake the loop        runJobs, on the thread
///     idle ────────────────────────▶ wake pending ────────────────────▶ idle
///      │                                  │
///      └────────────────┬─────────────────┘
///                       ▼ end, when the thread ends
///                     ended: all jobs are rejected, now and later
///
/// Invariant: while contexts or jobs exist, there is a waker, which gives the run loop something to wait for.
///
/// `@unchecked Sendable`, because the variables are accessed only under the lock, except `running`, which only the
/// thread accesses.
final class ThreadJobQueue: @unchecked Sendable {
  let name: String
  private let lock = ShortLock()
  private var jobs = CircularBuffer<Job>()
  /// Jobs whose handlers have not returned, innermost last. A handler that calls `Thread.exit()` never returns, and its
  /// stack frames are not unwound. Then this is the only reference by which the job can still be rejected.
  private var running: [Job] = []
  private var contexts = 0
  private var waker: RunLoopWaker?
  private var isWakePending = false
  private var hasEnded = false

  /// Creates the queue of the calling thread.
  init(named name: String?) { self.name = name ?? Thread.current.name ?? "" }

  /// Whether the calling thread is inside a handler. Call it only on the thread.
  var isRunningJob: Bool { !running.isEmpty }

  /// Counts one more context. Call it only on the thread.
  func addContext() {
    let needsWaker = lock.locked {
      contexts += 1
      return waker == nil
    }
    guard needsWaker else { return }
    // Weak, because the thread retains the queue, and the run loop retains the waker.
    let new = RunLoopWaker { [weak self] in self?.runJobs() }
    lock.locked { waker = new }
  }

  /// Counts one context less. The thread learns of it when the last context is released.
  func removeContext() {
    wakeIfNeeded {
      contexts -= 1
      return contexts == 0
    }
  }

  /// Adds jobs, or rejects them if the thread has ended.
  func add(_ added: some Sequence<Job>) {
    let isRefused = wakeIfNeeded {
      if !hasEnded { for job in added { jobs.append(job) } }
      return true
    }
    if isRefused { reject(added) }
  }

  /// Changes the variables, and wakes the run loop of the thread.
  ///
  /// - Parameter change: runs under the lock. It returns whether the thread has something to do.
  /// - Returns: whether the thread has ended.
  @discardableResult
  private func wakeIfNeeded(_ change: () -> Bool) -> Bool {
    let (idleWaker, isOver) = lock.locked { () -> (RunLoopWaker?, Bool) in
      guard change(), !hasEnded, !isWakePending else { return (nil, hasEnded) }
      isWakePending = true
      return (waker, false)
    }
    idleWaker?.wake()
    return isOver
  }

  /// Runs the jobs that are there when a turn of the run loop begins. A handler that runs the loop itself may begin
  /// another turn inside this one.
  private func runJobs() {
    let count = lock.locked {
      isWakePending = false
      return jobs.count
    }
    for _ in 0..<count {
      guard let job = lock.locked({ jobs.popFirst() }) else { break }
      running.append(job)
      withAutoreleasePool { job.run() }
      running.removeLast()
    }
    // Without contexts and jobs, only a context that this thread itself makes can add a job. The storage of many jobs is
    // released outside the lock.
    let (unused, _) = lock.locked { () -> (RunLoopWaker?, [Job?]?) in
      let excessStorage = jobs.takeExcessStorage()
      guard contexts == 0, jobs.isEmpty else { return (nil, excessStorage) }
      // A wake that is pending has no effect on Linux, where an invalidated waker does not run its handler. On Apple's
      // systems the handler still runs, and runs the jobs that are there.
      isWakePending = false
      return (waker.take(), excessStorage)
    }
    unused?.invalidate()
  }

  /// Rejects all jobs, because the thread ends. The thread calls it as its last act, and runs nothing afterwards.
  func end() {
    let unfinished = running
    running = []
    // Released outside the lock.
    let unused = lock.locked {
      hasEnded = true
      return waker.take()
    }
    withExtendedLifetime(unused) {}
    // On another thread, because an observer of a rejection must not run in a thread whose thread-specific values are
    // partly destroyed.
    DispatchQueue.global().async { [self] in
      for job in unfinished { job.rejectUnfinished(ThreadEndedError(threadName: name)) }
      while let job = lock.locked({ jobs.popFirst() }) { reject(CollectionOfOne(job)) }
    }
  }

  private func reject(_ jobs: some Sequence<Job>) {
    for job in jobs { job.reject(ThreadEndedError(threadName: name)) }
  }
}
