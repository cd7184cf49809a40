import Dispatch
import PromiseCore
import Synchronization

/// Runs jobs on a number of threads, many jobs to a thread's waking; and on more, as long as handlers block some of them.
///
/// ## Parts
///     schedule ──▶ waiting ──(a share)──▶ worker.local ──▶ run
///        │                                     ▲
///        └──(settled by a job of that worker)──┘ next
///
/// - *waiting*: first in, first out, for all workers. An array, and not a list through the jobs themselves, which would cost
///   nothing: a client's context may pass the same job on twice, or to two contexts, and that must do no harm (rule 2.1).
/// - A *worker* is a serial queue, see `PoolWorker`. One that is woken takes shares of what waits until nothing does. A
///   burst of jobs so costs a waking or two, and not one for each.
/// - *next*: a handler that has returned may settle a promise that has a link on the pool. That link runs next, on the same
///   thread: a chain does not queue. So many in a row and no more, that what waits gets its turn.
/// - *watching*: whatever waits while no worker is being woken for it is watched, see `Pool+Watching.swift`: handlers
///   that block must not starve others.
///
/// ## Why nothing is forgotten
/// All counts are changed under the one lock. Where a job waits, a worker has been woken and has not yet asked for work, or the
/// pool is watched; and it is watched until nothing waits, neither here nor with a worker.
///
/// `@unchecked Sendable`: the plain fields are touched under the lock only. Under it no user code runs and no job is
/// released; a worker's lock is taken inside it, and not the other way round. Without exclusivity checks, here and in
/// `PoolWorker`, for they cost more than what is done: nobody gets at a field while another has it, for nobody calls
/// out.
final class Pool: @unchecked Sendable {
  /// How many workers run at once, not counting those whose handlers block.
  let width: Int
  /// How many workers there are at most, counting those whose handlers block.
  let limit: Int
  /// Says that the limit is reached.
  let notice: PoolLimitNotice
  /// Of another quality of service than the workers, which may have taken all threads of theirs.
  let watcher = DispatchQueue(label: "promise.pool.watch", qos: .userInteractive)

  let lock = ShortLock()
  @safe @exclusivity(unchecked) var waiting = CircularBuffer<Job>()
  @safe @exclusivity(unchecked) var workers: [PoolWorker] = []
  /// Of the workers, those that nobody has woken.
  @safe @exclusivity(unchecked) private var idle: [PoolWorker] = []
  /// How many have been woken and have not retired, but for the blocked ones.
  @safe @exclusivity(unchecked) var running = 0
  /// See `Pool+Watching.swift`. Written under the lock.
  let isWatched = Atomic<Bool>(false)

  init(width: Int, limit: Int, notice: PoolLimitNotice) {
    self.width = max(1, width)
    self.limit = limit
    self.notice = notice
  }

  /// Runs the job later.
  func schedule(_ job: consuming Job) {
    var remaining: Job? = consume job
    if let worker = PoolWorker.current, worker.pool === self { worker.keepAsNext(&remaining) }
    if remaining == nil {
      // Relaxed: see `inspectWorkers`.
      if !isWatched.load(ordering: .relaxed) { watch() }
      return
    }
    let (woken, isNewlyWatched) = lock.locked {
      if let job = remaining.take() { waiting.append(job) }
      // One that runs will mostly come for a single job before another is awake. If not, the pool is looked at.
      let woken = canWake && (running == 0 || waiting.count > 1) ? wake() : nil
      return (woken, woken == nil && beginWatching())
    }
    woken?.start()
    if isNewlyWatched { startWatcher() }
  }

  /// Runs the jobs later, beside one another.
  func schedule(batch jobs: consuming [Job]) {
    var jobs = (consume jobs)[...]
    while !jobs.isEmpty {
      let part = jobs.prefix(Self.maxBatchSize)
      jobs = jobs.dropFirst(part.count)
      let (woken, isNewlyWatched) = lock.locked {
        for job in part { waiting.append(job) }
        let woken = wakeWorkersAsNeeded()
        return (woken, woken.count < waiting.count && beginWatching())
      }
      for worker in woken { worker.start() }
      if isNewlyWatched { startWatcher() }
    }
  }

  /// The lock is a spinning one: nobody is to hold it for long.
  private static let maxBatchSize = 256

  /// The first job of a worker's next share of what waits. `nil`: the worker is not needed any more, and has retired.
  func nextJob(for worker: PoolWorker) -> Job? {
    // Let go outside the lock.
    var excessStorage: [Job?]?
    let (job, woken, isNewlyWatched) = lock.locked { () -> (Job?, PoolWorker?, Bool) in
      if worker.isBlocked { unblock(worker) }
      guard !waiting.isEmpty, running <= width else {
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

  /// Many enough that asking for them costs little for each, few enough that workers end at about the same time.
  private static let maxShareSize = 32
}

// MARK: - Under the lock

extension Pool {
  var canWake: Bool { running < width && (!idle.isEmpty || workers.count < limit) }

  /// Jobs wait although fewer workers run than could, because handlers block all others.
  var isAtLimit: Bool { !waiting.isEmpty && running < width && !canWake }

  /// A worker to be started, outside the lock.
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

  /// As many as there is work for. To be started, outside the lock.
  func wakeWorkersAsNeeded() -> [PoolWorker] {
    var woken: [PoolWorker] = []
    while canWake, woken.count < waiting.count { woken.append(wake()) }
    return woken
  }

  private func retire(_ worker: PoolWorker) {
    running -= 1
    worker.isAwake = false
    idle.append(worker)
  }

  func block(_ worker: PoolWorker) {
    worker.isBlocked = true
    running -= 1
  }

  func unblock(_ worker: PoolWorker) {
    worker.isBlocked = false
    running += 1
  }
}
