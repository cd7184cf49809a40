import Dispatch
import Foundation
import PromiseContexts
import PromiseCore

/// The handlers that wait for one thread. Each thread that is a context has one, until it ends.
///
///                   add: ring            work, on the thread
///     idle ─────────────────────▶ rung ─────────────────────▶ idle
///      │                           │
///      └───────────┬───────────────┘
///                  ▼ end, by the thread's last act
///                ended: all jobs are rejected, now and later
///
/// As long as there are contexts for it, or jobs, there is a waker, and so the run loop has something to wait for.
///
/// `@unchecked Sendable`: the variables are touched under the lock only; `running` only by the thread itself.
final class ThreadLine: @unchecked Sendable {
  let name: String
  private let lock = ShortLock()
  private var jobs = CircularBuffer<Job>()
  /// Jobs whose handlers have not returned, innermost last. A handler that calls `Thread.exit()` never returns, and its frames are
  /// not unwound: this is the only reference by which the job can still be rejected.
  private var running: [Job] = []
  private var contexts = 0
  private var waker: RunLoopWaker?
  private var isWakePending = false
  private var hasEnded = false

  /// For the calling thread.
  init(named name: String?) { self.name = name ?? Thread.current.name ?? "" }

  /// On the thread itself: there is a context more.
  func enter() {
    let isSilent = lock.locked {
      contexts += 1
      return waker == nil
    }
    guard isSilent else { return }
    // Weak: the thread holds the line, and the loop the waker.
    let new = RunLoopWaker { [weak self] in self?.work() }
    lock.locked { waker = new }
  }

  /// There is a context less.
  func leave() {
    ring {
      contexts -= 1
      return contexts == 0
    }
  }

  func add(_ added: some Sequence<Job>) {
    let isRefused = ring {
      if !hasEnded { for job in added { jobs.append(job) } }
      return true
    }
    if isRefused { refuse(added) }
  }

  /// - Parameter body: runs under the lock; `false`: there is nothing to do on the thread.
  /// - Returns: whether the thread has ended.
  @discardableResult
  private func ring(_ body: () -> Bool) -> Bool {
    let (waker, isOver) = lock.locked { () -> (RunLoopWaker?, Bool) in
      guard body(), !hasEnded, !isWakePending else { return (nil, hasEnded) }
      isWakePending = true
      return (waker, false)
    }
    waker?.wake()
    return isOver
  }

  /// A turn: runs the jobs that are there when it begins. A handler that runs the loop itself may begin another inside.
  private func work() {
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
    // Nobody can add anything any more, but by a context that this thread makes.
    let idle = lock.locked { () -> RunLoopWaker? in
      guard contexts == 0, jobs.isEmpty else { return nil }
      // What has been rung meanwhile is not heard.
      isWakePending = false
      return waker.take()
    }
    idle?.invalidate()
  }

  /// The thread is ending, and runs nothing any more. On the thread itself, as its last act.
  func end() {
    let unfinished = running
    running = []
    // Released outside the lock.
    let idle = lock.locked {
      hasEnded = true
      return waker.take()
    }
    withExtendedLifetime(idle) {}
    // Elsewhere: whoever is told of a rejection must not find itself in a thread that is half gone.
    DispatchQueue.global().async { [self] in
      for job in unfinished { job.rejectUnfinished(ThreadEndedError(threadName: name)) }
      while let job = lock.locked({ jobs.popFirst() }) { refuse(CollectionOfOne(job)) }
    }
  }

  private func refuse(_ jobs: some Sequence<Job>) {
    for job in jobs { job.reject(ThreadEndedError(threadName: name)) }
  }
}
