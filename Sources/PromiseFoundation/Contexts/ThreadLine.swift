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
/// `@unchecked Sendable`: `jobs` and the three flags are touched under the lock only; `bell` does not change; `stay` belongs
/// to the thread.
final class ThreadLine: @unchecked Sendable {
  let name: String
  private let bell: RunLoopBell
  private let lock = ShortLock()
  private var jobs = Ring<Job>()
  private var isRung = false
  private var isFinishing = false
  private var hasEnded = false
  /// Keeps the run loop of a thread of our own from ending for want of anything to wait for.
  private var stay: Timer?

  /// For the calling thread.
  init(named name: String?) {
    self.name = name ?? Thread.current.name ?? ""
    bell = RunLoopBell()
  }

  /// The calling thread is there for its handlers: it runs its loop until ``finish()``.
  func runUntilFinished() {
    let stay = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }
    self.stay = stay
    RunLoop.current.add(stay, forMode: .default)
    RunLoop.current.run()
  }

  func add(_ added: consuming [Job]) {
    let added = consume added
    let refused = change {
      if hasEnded { return true }
      for job in added { jobs.append(job) }
      return false
    }
    if refused { refuse(added) }
  }

  /// Lets a thread of our own end as soon as it has nothing to do.
  func finish() {
    _ = change {
      isFinishing = true
      return hasEnded
    }
  }

  /// - Parameter body: runs under the lock; `true`: the thread is gone.
  /// - Returns: what the body does.
  private func change(_ body: () -> Bool) -> Bool {
    let (isGone, mustRing) = lock.locked {
      let isGone = body()
      defer { isRung = true }
      return (isGone, !isGone && !isRung)
    }
    // Weak: the thread keeps the line until it ends, and a loop may keep what it was to do for ever.
    if mustRing { bell.ring { [weak self] in self?.work() } }
    return isGone
  }

  /// A turn: runs the jobs that are there when it begins. A handler that runs the loop itself may begin another inside.
  private func work() {
    let count = lock.locked {
      isRung = false
      return jobs.count
    }
    for _ in 0..<count {
      guard let job = lock.locked({ jobs.popFirst() }) else { break }
      withAutoreleasePool { job.run() }
    }
    if lock.locked({ isFinishing && jobs.isEmpty }) { stay?.invalidate() }
  }

  /// The thread is ending, and runs nothing any more.
  func end() {
    lock.locked { hasEnded = true }
    // Elsewhere: whoever is told of a rejection must not find itself in a thread that is half gone.
    DispatchQueue.global().async { [self] in
      while let job = lock.locked({ jobs.popFirst() }) { refuse([job]) }
    }
  }

  private func refuse(_ jobs: [Job]) {
    for job in jobs { job.reject(ThreadEndedError(threadName: name)) }
  }
}
