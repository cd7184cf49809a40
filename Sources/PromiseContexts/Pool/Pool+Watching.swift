import Dispatch
import PromiseCore
import Synchronization

// A handler may block: in a system call, on a semaphore, or in a wait for a promise whose own handlers have yet to run
// on the pool. Other handlers must not wait for it. So a watcher inspects the workers every few milliseconds as long as
// any job waits. If a worker still runs the same job, its queued jobs are returned to the pool. If that job also blocks
// its thread (see `BlockDetector`), another worker replaces it. A thread that computes, or would compute if it had a
// processor, is not replaced, because one more thread would only share the processors. A thread that sleeps for a
// moment during an inspection is not replaced either.

extension Pool {
  /// Begins to watch the pool, because a job waits. Call outside the lock.
  func watch() {
    if lock.locked({ beginWatching() }) { startWatcher() }
  }

  /// Marks the pool as watched. Call under the lock.
  ///
  /// - Returns: `true` if the caller must then call `startWatcher` outside the lock.
  func beginWatching() -> Bool {
    // Relaxed, because the lock orders all writes.
    if isWatched.load(ordering: .relaxed) { return false }
    isWatched.store(true, ordering: .relaxed)
    return true
  }

  /// Inspects the workers on a separate thread until no job waits.
  ///
  /// The thread sleeps between two inspections. A timer of Dispatch would need a file descriptor on Linux, and would
  /// never fire if there is none.
  func startWatcher() {
    watcher.async { [self] in
      var next: Int? = Self.shortestInterval
      while let interval = next {
        blockThread(milliseconds: interval)
        next = inspectWorkers(after: interval)
      }
    }
  }

  // The interval between two inspections, in milliseconds.
  private static let shortestInterval = 2
  private static let longestInterval = 16

  /// Inspects all workers that are awake.
  ///
  /// - Returns: the milliseconds until the next inspection, or `nil` if the pool is not watched any more.
  private func inspectWorkers(after interval: Int) -> Int? {
    var (inspected, woken, isStillWatched) = lock.locked {
      // The flag is cleared before the workers are inspected. If a worker finds it cleared after it has kept a job, it
      // begins to watch the pool again. If a worker found it set, `continueWatchingIfNeeded` finds that job or another
      // one, because it acquires the lock of each worker that is awake until it finds a job. Relaxed, because that lock
      // orders the keeping of a job and the look for it.
      isWatched.store(false, ordering: .relaxed)
      let inspected = workers.filter(\.isAwake).map { (worker: $0, isStuck: inspect($0)) }
      return (inspected.filter { !$0.worker.isBlocked }, wakeWorkersAsNeeded(), continueWatchingIfNeeded())
    }
    // The detectors observe at every inspection, even if no job waits. Otherwise their evidence would be about another
    // job.
    woken += replaceBlocked(among: inspected)
    for worker in woken { worker.start() }
    if lock.locked({ isAtLimit }) { notice.post(limit: limit) }
    guard isStillWatched else { return nil }
    // If all workers compute, an inspection cannot help, so the next one may come later.
    let mayHelp = !woken.isEmpty || inspected.contains(where: \.worker.isSuspicious)
    return mayHelp ? Self.shortestInterval : min(2 * interval, Self.longestInterval)
  }

  /// Wakes other workers in place of those that are blocked, and returns them.
  private func replaceBlocked(among inspected: [(worker: PoolWorker, isStuck: Bool)]) -> [PoolWorker] {
    // Each of these checks asks the system, so they are made outside the lock.
    let blocked = inspected.filter { $0.worker.isBlockingThread(isStuck: $0.isStuck) }
    if blocked.isEmpty { return [] }
    return lock.locked {
      // If a worker still runs the same job now, it also did when the system reported the state of its thread.
      for (worker, _) in blocked where worker.isAwake && !worker.isBlocked && worker.isStuck { block(worker) }
      return wakeWorkersAsNeeded()
    }
  }

  /// Marks the pool as watched again if a job waits, here or with a worker. Returns whether it has done so.
  private func continueWatchingIfNeeded() -> Bool {
    let isNeeded = !waiting.isEmpty || workers.contains { $0.isAwake && $0.hasQueuedJobs }
    return isNeeded && beginWatching()
  }

  /// Takes jobs back from a worker, and returns whether it runs the same job as at the last inspection.
  private func inspect(_ worker: PoolWorker) -> Bool {
    let isStuck = worker.checkProgress()
    // Jobs are also taken from a worker that makes progress, if another worker would have nothing to do.
    if isStuck || waiting.isEmpty && canWake { worker.returnJobs(to: &waiting) }
    if !isStuck, worker.isBlocked { unblock(worker) }
    return isStuck
  }
}
