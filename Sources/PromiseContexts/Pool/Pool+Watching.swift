import Dispatch
import PromiseCore
import Synchronization

// A handler may block: in a system call, on a semaphore, or for a promise whose own handlers have yet to run here. Others must
// not wait for it. So, every few milliseconds as long as anything waits, somebody looks whether the workers get on. From one
// that is still at the same job what it has taken besides is taken back; and if the job blocks its thread (see `BlockDetector`),
// another worker stands in for it. A thread that computes, or that would if it had a processor, keeps its place: one
// more would only share what there is. So does one that merely rests for a moment when it is looked at.

extension Pool {
  /// Something waits: from now on the pool is watched.
  func watch() {
    if lock.locked({ beginWatching() }) { startWatcher() }
  }

  /// Under the lock. `true`: the caller must call `startWatcher`, outside.
  func beginWatching() -> Bool {
    // Relaxed: the lock orders all writes.
    if isWatched.load(ordering: .relaxed) { return false }
    isWatched.store(true, ordering: .relaxed)
    return true
  }

  /// Looks after the pool in a thread of its own, until nothing waits any more.
  ///
  /// The thread sleeps between two looks. A timer of Dispatch would need a file descriptor on Linux, and never fire if there is none.
  func startWatcher() {
    watcher.async { [self] in
      var next: Int? = Self.shortestInterval
      while let interval = next {
        blockThread(milliseconds: interval)
        next = inspectWorkers(after: interval)
      }
    }
  }

  // Milliseconds.
  private static let shortestInterval = 2
  private static let longestInterval = 16

  /// Returns after how many milliseconds to look again; `nil`: the pool is not watched any more.
  private func inspectWorkers(after interval: Int) -> Int? {
    var (inspected, woken, isStillWatched) = lock.locked {
      // Before the workers are looked at: one that finds the pool unwatched after it has kept a job watches it again, and one that
      // has found it watched has kept its job before we come to it. Relaxed: both are under the worker's lock.
      isWatched.store(false, ordering: .relaxed)
      let inspected = workers.filter(\.isAwake).map { (worker: $0, isStuck: inspect($0)) }
      return (inspected.filter { !$0.worker.isBlocked }, wakeWorkersAsNeeded(), continueWatchingIfNeeded())
    }
    // Also if nothing waits any more: they are asked at every look, or their counts would be of another job.
    woken += replaceBlocked(among: inspected)
    for worker in woken { worker.start() }
    if lock.locked({ isAtLimit }) { notice.post(limit: limit) }
    guard isStillWatched else { return nil }
    // Where nothing can be helped, because all compute, there is no need to look as often.
    let mayHelp = !woken.isEmpty || inspected.contains(where: \.worker.isSuspicious)
    return mayHelp ? Self.shortestInterval : min(2 * interval, Self.longestInterval)
  }

  /// Wakes other workers for those that are blocked.
  private func replaceBlocked(among inspected: [(worker: PoolWorker, isStuck: Bool)]) -> [PoolWorker] {
    // Questions to the system for each, so outside the lock.
    let blocked = inspected.filter { $0.worker.isBlockingThread(isStuck: $0.isStuck) }
    if blocked.isEmpty { return [] }
    return lock.locked {
      // What is still at that job now was so when its thread was asked.
      for (worker, _) in blocked where worker.isAwake && !worker.isBlocked && worker.isStuck { block(worker) }
      return wakeWorkersAsNeeded()
    }
  }

  /// Begins to watch again, if anything waits, here or with a worker. Returns whether it does.
  private func continueWatchingIfNeeded() -> Bool {
    let isNeeded = !waiting.isEmpty || workers.contains { $0.isAwake && $0.hasQueuedJobs }
    return isNeeded && beginWatching()
  }

  /// Returns whether it is at the same job as when it was last looked at.
  private func inspect(_ worker: PoolWorker) -> Bool {
    let isStuck = worker.checkProgress()
    // From a worker that gets on too, if another would have nothing to do.
    if isStuck || waiting.isEmpty && canWake { worker.returnJobs(to: &waiting) }
    if !isStuck, worker.isBlocked { unblock(worker) }
    return isStuck
  }
}
