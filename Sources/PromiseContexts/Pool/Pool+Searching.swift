internal import CPromiseSystem
import PromiseCore
import Synchronization

// To wake a sleeping thread costs the scheduling thread some microseconds, and the next job often comes within that
// time. So a worker that finds no job looks for one again and again for a moment, before it retires and gives its
// thread back. While it searches, a single job wakes no worker. At most one worker searches, because two would share the
// jobs that one can run.
//
// The search is bounded. Each worker has a patience, which is a number of looks. A search that finds a job doubles it,
// and one that finds none halves it. So a program that is barely busy soon searches for half a microsecond each time,
// and an idle program does not search.

extension Pool {
  /// Looks for a job until one is there or the worker's patience is at its end, and then requests one. The worker has
  /// begun to search.
  func search(with worker: PoolWorker) -> UncheckedJob? {
    var looks = 0
    // Relaxed, because the flag only ends the wait. The request finds the job under the lock.
    while looks < worker.patience, !hasJobForSearch.load(ordering: .relaxed) {
      promise_pause()
      looks += 1
    }
    let job = request(for: worker, maySearch: false)
    worker.changePatience(hasFound: job != nil)
    return job
  }

  // MARK: Under the lock

  /// Marks the worker as the one that searches, unless there is such a worker or the width is exceeded. Returns whether
  /// it has done so.
  func beginSearch(of worker: PoolWorker) -> Bool {
    guard waiting.isEmpty, running <= width, !isSearched else { return false }
    isSearched = true
    worker.isSearching = true
    hasJobForSearch.store(false, ordering: .relaxed)
    return true
  }

  /// Lets the searching worker request its job.
  func endSearch() { hasJobForSearch.store(true, ordering: .relaxed) }

  /// Records that the worker does not search any more.
  func endSearch(of worker: PoolWorker) {
    isSearched = false
    worker.isSearching = false
  }
}

extension PoolWorker {
  /// Whether the worker may look for a job before it retires. Call on its thread.
  var maySearch: Bool { PoolContext.searchesBeforeSleeping && patience > 0 }

  fileprivate func changePatience(hasFound: Bool) {
    patience = hasFound ? min(2 * patience, Self.mostLooks) : max(patience / 2, Self.fewestLooks)
  }

  /// The looks of the first search. A look takes about 35 ns on an AMD EPYC.
  static let firstLooks = 128
  private static let fewestLooks = 16
  private static let mostLooks = 1_024
}
