import Dispatch
import PromiseCore
import Synchronization

// A handler may block: in a system call, on a semaphore, or for a promise whose own handlers have yet to run here. Others must
// not wait for it. So, every few milliseconds as long as anything waits, somebody looks whether the workers get on. From one
// that is still at the same job what it has taken besides is taken back; and if its thread has slept meanwhile, or time and
// again, another worker stands in for it. A thread that computes, or that would if it had a processor, keeps its place: one
// more would only share what there is. So does one that merely rests for a moment when it is looked at.

extension Pool {
  /// Something waits: from now on the pool is watched.
  func watch() {
    if lock.locked({ beginWatching() }) { watchLater() }
  }

  /// Under the lock. `true`: the caller must call `watchLater`, outside.
  func beginWatching() -> Bool {
    // Relaxed: the lock orders all writes.
    if isWatched.load(ordering: .relaxed) { return false }
    isWatched.store(true, ordering: .relaxed)
    return true
  }

  func watchLater(after interval: Int = Pool.shortestInterval) {
    Self.watcher.asyncAfter(deadline: .now() + .milliseconds(interval)) { [self] in look(after: interval) }
  }

  // Not of the workers' quality of service: these may have taken all its threads.
  private static let watcher = DispatchQueue(label: "promise.pool.watch", qos: .userInteractive)

  // Milliseconds.
  static let shortestInterval = 2
  private static let longestInterval = 16

  private func look(after interval: Int) {
    var (seen, woken, isStillWatched) = lock.locked {
      // Before the workers are looked at: one that finds the pool unwatched after it has kept a job watches it again, and one that
      // has found it watched has kept its job before we come to it. Relaxed: both are under the worker's lock.
      isWatched.store(false, ordering: .relaxed)
      let seen = workers.filter(\.isAwake).map { (worker: $0, isStuck: look(at: $0)) }
      return (seen.filter { !$0.worker.isBlocked }, wakeAsNeeded(), watchesOn())
    }
    // Also if nothing waits any more: they are asked at every look, or their counts would be of another job.
    woken += standIn(forSleepersOf: seen)
    for worker in woken { worker.start() }
    // Where nothing can be helped, because all compute, there is no need to look as often. Who sleeps is looked at again soon.
    let isOfUse = !woken.isEmpty || seen.contains(where: \.worker.isAsleep)
    if isStillWatched { watchLater(after: isOfUse ? Self.shortestInterval : min(2 * interval, Self.longestInterval)) }
  }

  /// Wakes others for those whose threads sleep.
  private func standIn(forSleepersOf seen: [(worker: PoolWorker, isStuck: Bool)]) -> [PoolWorker] {
    // Questions to the system for each, so outside the lock.
    let asleep = seen.filter { $0.worker.hasSlept(isStuck: $0.isStuck) }
    if asleep.isEmpty { return [] }
    return lock.locked {
      // What is still at that job now was so when its thread was asked.
      for (worker, _) in asleep where worker.isAwake && !worker.isBlocked && worker.isStuck { block(worker) }
      return wakeAsNeeded()
    }
  }

  /// Begins to watch again, if anything waits, here or with a worker. Returns whether it does.
  private func watchesOn() -> Bool {
    let isNeeded = !waiting.isEmpty || workers.contains { $0.isAwake && $0.keepsJobs }
    return isNeeded && beginWatching()
  }

  /// Returns whether it is at the same job as when it was last looked at.
  private func look(at worker: PoolWorker) -> Bool {
    let isStuck = worker.look()
    // From a worker that gets on too, if another would have nothing to do.
    if isStuck || waiting.isEmpty && canWake { worker.giveBack(to: &waiting) }
    if !isStuck, worker.isBlocked { unblock(worker) }
    return isStuck
  }
}
