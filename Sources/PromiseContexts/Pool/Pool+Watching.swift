import Dispatch
import PromiseCore
import Synchronization

// A handler may block: in a system call, on a semaphore, or for a promise whose own handlers have yet to run here. Others must not
// wait for it. So, every few milliseconds as long as anything waits, somebody looks whether the workers get on. From one that is still
// at the same job what it has taken besides is taken back; and if its thread has slept meanwhile, another worker stands in for it.
// A thread that computes keeps its place: one more would only share its processor.

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

  func watchLater() {
    Self.watcher.asyncAfter(deadline: .now() + Self.interval) { [self] in look() }
  }

  private static let watcher = DispatchQueue(label: "promise.pool.watch")
  private static let interval = DispatchTimeInterval.milliseconds(2)

  private func look() {
    let (woken, isStillWatched) = lock.locked {
      // Before the workers are looked at: one that finds the pool unwatched after it has kept a job watches it again, and one that
      // has found it watched has kept its job before we come to it. Relaxed: both are under the worker's lock.
      isWatched.store(false, ordering: .relaxed)
      var isKept = false
      for worker in workers where worker.isAwake { isKept = look(at: worker) || isKept }
      let woken = wakeAsNeeded()
      return (woken, isKept || !waiting.isEmpty ? beginWatching() : false)
    }
    for worker in woken { worker.start() }
    if isStillWatched { watchLater() }
  }

  /// Returns whether jobs wait with the worker.
  private func look(at worker: PoolWorker) -> Bool {
    let sight = worker.look(takingBackTo: &waiting)
    if sight.isAsleep != worker.isBlocked {
      if sight.isAsleep { block(worker) } else { unblock(worker) }
    }
    return sight.keepsJobs
  }
}
