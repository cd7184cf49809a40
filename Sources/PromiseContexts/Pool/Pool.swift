import Dispatch
import PromiseCore
import Synchronization

/// Runs jobs on a fixed number of threads. While handlers block some of the threads, it adds others.
///
/// ## Parts
///     schedule ──▶ waiting ──(a share)──▶ worker.local ──▶ run
///        │                                     ▲
///        └──(settled by a job of that worker)──┘ next
///
/// - *waiting* is a first-in, first-out queue for all workers.
/// - A *worker* is a serial queue, see `PoolWorker`. A worker that is woken takes shares of the waiting jobs until none
///   waits. So a burst of jobs wakes one or two workers, and not one for each job.
/// - *next*: a handler that has returned may settle a promise that has a handler on the pool. That handler runs next,
///   on the same thread, so a chain does not queue. The number of such jobs in a row is limited, so that waiting jobs
///   get their turn.
/// - *searching*: a worker that finds no job looks for one for a few microseconds before it retires, see
///   `Pool+Searching.swift`.
/// - *watching*: while a job waits and no worker is being woken for it, the pool is watched, see `Pool+Watching.swift`.
///   Handlers that block must not starve others.
///
/// ## Why no job is forgotten
/// All counts are changed under one lock.
///
/// Invariant: as long as jobs wait, at least as many workers have been woken and have not yet requested work, or one
/// searches and will request work for the only job, or the pool is watched. It is watched until no job waits, neither
/// here nor with a worker. The model `pool` shows it.
///
/// `@unchecked Sendable`, because the plain fields are used under the lock only. Under the lock no user code runs and
/// no job is released. The lock of a worker is acquired inside it, and never the other way round. Exclusivity checks
/// are disabled here and in `PoolWorker`, because they would cost more than the accesses. No access overlaps another
/// one, because no code outside these types is called during an access.
final class Pool: @unchecked Sendable {
  /// The number of workers that run at a time, not counting those whose handlers block.
  let width: Int
  /// The greatest number of workers, counting those whose handlers block.
  let limit: Int
  /// Reports that the limit is reached.
  let notice: PoolLimitNotice
  /// The queue of the watcher. Its quality of service differs from that of the workers, which may occupy all threads of
  /// theirs.
  let watcher = DispatchQueue(label: "promise.pool.watch", qos: .userInteractive)

  let lock = ShortLock()
  @safe @exclusivity(unchecked) var waiting = CircularBuffer<UncheckedJob>()
  @safe @exclusivity(unchecked) var workers: [PoolWorker] = []
  /// The workers that are not awake.
  @safe @exclusivity(unchecked) private var idle: [PoolWorker] = []
  /// The number of workers that are awake and not blocked.
  @safe @exclusivity(unchecked) var running = 0
  /// Whether a worker searches. It counts as running.
  @safe @exclusivity(unchecked) var isSearched = false
  /// Whether a job waits for the worker that searches. Written under the lock.
  let hasJobForSearch = Atomic<Bool>(false)
  /// Whether the watcher inspects the pool, see `Pool+Watching.swift`. Written under the lock.
  let isWatched = Atomic<Bool>(false)

  init(width: Int, limit: Int, notice: PoolLimitNotice) {
    // The other threads run handlers while some of these are blocked.
    self.width = max(1, min(width, limit / 3 * 2))
    self.limit = limit
    self.notice = notice
  }

  /// Runs the job later.
  func schedule(_ job: consuming UncheckedJob) {
    var remaining: UncheckedJob? = consume job
    var isFromWorker = false
    PoolWorker.withCurrent { worker in
      guard worker.poolIdentity == ObjectIdentifier(self) else { return }
      isFromWorker = true
      worker.keepAsNext(&remaining)
    }
    if remaining == nil {
      // Relaxed, for the reason that is given in `inspectWorkers`.
      if !isWatched.load(ordering: .relaxed) { watch() }
      return
    }
    let (woken, isNewlyWatched) = lock.locked {
      if let job = remaining.take() { waiting.append(job) }
      // For a single job no second worker is woken: a running worker mostly takes the job before the second is awake.
      // If it does not, the watcher wakes one.
      let woken = canWake && (running == 0 || waiting.count > 1) ? wake() : nil
      let isLeftToSearcher = isSearched && waiting.count == 1
      // A worker mostly requests its own job soon. If the search were ended for it, a loop would move to the other
      // worker at each step. If the worker does not request it, the searcher finds it when its patience is at its end.
      if isSearched, !(isFromWorker && waiting.count == 1) { endSearch() }
      return (woken, woken == nil && !isLeftToSearcher && beginWatching())
    }
    woken?.start()
    if isNewlyWatched { startWatcher() }
  }

  /// Runs the jobs later. They may run at the same time.
  func schedule(batch jobs: consuming [UncheckedJob]) {
    var jobs = (consume jobs)[...]
    while !jobs.isEmpty {
      let part = jobs.prefix(Self.maxBatchSize)
      jobs = jobs.dropFirst(part.count)
      let (woken, isNewlyWatched) = lock.locked {
        for job in part { waiting.append(job) }
        if isSearched { endSearch() }
        let woken = wakeWorkersAsNeeded()
        return (woken, woken.count < waiting.count && beginWatching())
      }
      for worker in woken { worker.start() }
      if isNewlyWatched { startWatcher() }
    }
  }

  /// The number of jobs that are appended in one critical section. Other threads spin for the lock, so it must not be
  /// held for long.
  private static let maxBatchSize = 256

  /// Moves the next share of the waiting jobs to a worker, and returns its first job. If it returns `nil`, the worker
  /// is not needed any more, and has retired.
  func nextJob(for worker: PoolWorker) -> UncheckedJob? {
    request(for: worker, maySearch: worker.maySearch) ?? (worker.isSearching ? search(with: worker) : nil)
  }

  /// Does the same, but if there is no job, the worker may have begun to search.
  func request(for worker: PoolWorker, maySearch: Bool) -> UncheckedJob? {
    // Released outside the lock.
    var excessStorage: [UncheckedJob?]?
    let (job, woken, isNewlyWatched) = lock.locked { () -> (UncheckedJob?, PoolWorker?, Bool) in
      if worker.isSearching { endSearch(of: worker) }
      if worker.isBlocked { unblock(worker) }
      guard !waiting.isEmpty, running <= width else {
        if maySearch, beginSearch(of: worker) { return (nil, nil, false) }
        retire(worker)
        excessStorage = waiting.takeExcessStorage()
        return (nil, nil, !waiting.isEmpty && beginWatching())
      }
      let job = waiting.popFirst()
      worker.take(first: min(Self.maxShareSize, waiting.count / (2 * width)), of: &waiting)
      return (job, !waiting.isEmpty && canWake ? wake() : nil, false)
    }
    woken?.start()
    if isNewlyWatched { startWatcher() }
    _ = consume excessStorage
    return job
  }

  /// The greatest number of jobs that a worker takes in addition to the first. It is large enough to make the cost of
  /// the lock for each job small, and small enough that the workers end at about the same time.
  private static let maxShareSize = 32
}

// MARK: - Under the lock

extension Pool {
  /// Whether another worker may run.
  var canWake: Bool { running < width && (!idle.isEmpty || workers.count < limit) }

  /// Whether jobs wait, and handlers block all workers that there may be.
  var isAtLimit: Bool { !waiting.isEmpty && running == 0 && !canWake }

  /// Wakes or creates a worker, and returns it. The caller must start it outside the lock.
  private func wake() -> PoolWorker {
    running += 1
    if let worker = idle.popLast() {
      worker.wakeUp()
      return worker
    }
    let worker = PoolWorker(of: self)
    workers.append(worker)
    return worker
  }

  /// Wakes as many workers as there are waiting jobs, and returns them. The caller must start them outside the lock.
  func wakeWorkersAsNeeded() -> [PoolWorker] {
    var woken: [PoolWorker] = []
    while canWake, woken.count < waiting.count { woken.append(wake()) }
    return woken
  }

  /// Records that a worker has nothing to do.
  private func retire(_ worker: PoolWorker) {
    running -= 1
    worker.isAwake = false
    idle.append(worker)
  }

  /// Records that the handler of a worker blocks its thread, so that another worker may run.
  func block(_ worker: PoolWorker) {
    worker.isBlocked = true
    running -= 1
  }

  /// Records that a blocked worker has continued.
  func unblock(_ worker: PoolWorker) {
    worker.isBlocked = false
    running += 1
  }
}
