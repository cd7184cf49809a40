import Dispatch
import PromiseCore
import Synchronization

/// Runs jobs of a pool on one thread. While it has no job, it has no thread.
///
/// Each worker has a serial queue of its own, and does not use a global queue. Dispatch gives a serial queue a thread
/// even if handlers block all threads of the global queues.
///
/// `@unchecked Sendable`, because each plain field is used under the lock, or on the thread, that is stated at it.
final class PoolWorker: @unchecked Sendable {
  private unowned let pool: Pool
  /// The identity of the pool. A comparison with it counts no reference.
  let poolIdentity: ObjectIdentifier
  // The queue has an explicit quality of service. Otherwise the first scheduling thread would set it for all jobs until
  // the queue is empty.
  private let queue = DispatchQueue(label: "promise.pool", qos: .default)

  // Used under the lock of the pool.
  @safe @exclusivity(unchecked) var isAwake = true
  /// Whether its job blocks its thread. Another worker replaces this one until the job has ended.
  @safe @exclusivity(unchecked) var isBlocked = false
  /// Whether it is the worker that searches. Written on its thread, so this thread may read it without the lock.
  @safe @exclusivity(unchecked) var isSearching = false
  /// The number of jobs that had begun at the last inspection, or `nil` if there was none since the worker was woken.
  @safe @exclusivity(unchecked) private var lastSeenBegunCount: Int?

  // Used under the lock of the worker.
  private let lock = ShortLock()
  @safe @exclusivity(unchecked) private var local = CircularBuffer<UncheckedJob>()
  @safe @exclusivity(unchecked) private var next: UncheckedJob?
  @safe @exclusivity(unchecked) private var thread: PoolThread?

  // Used by the watcher, which makes one inspection at a time.
  @safe @exclusivity(unchecked) private var detector = BlockDetector()

  // Used on the thread of the worker.
  /// Whether the handler of the current job has returned, and its derived promise is being settled.
  @safe @exclusivity(unchecked) private var isSettling = false
  /// Whether jobs may wait with this worker. `false` is certain, because only this thread adds jobs.
  @safe @exclusivity(unchecked) private var mayHaveQueuedJobs = false
  @safe @exclusivity(unchecked) private var consecutiveKeptJobs = 0
  /// How often a search looks for a job, see `Pool+Searching.swift`. 0 if a search is useless, because there is one
  /// processor.
  @safe @exclusivity(unchecked) var patience = processorCount > 1 ? PoolWorker.firstLooks : 0

  /// The number of jobs that have begun. Written on the thread of the worker, and read by the watcher.
  ///
  /// All accesses are relaxed. A watcher that reads an old number takes the worker for stuck at a job that has just
  /// ended, as it would have a moment before. At worst another worker is awake until the next inspection or the next
  /// request for work.
  private let begunCount = Atomic<Int>(0)

  init(of pool: Pool) {
    self.pool = pool
    poolIdentity = ObjectIdentifier(pool)
  }

  /// Requests a thread, which runs jobs until there are none left.
  func start() { queue.async { [self, pool] in drain(pool) } }

  private func drain(_ pool: Pool) {
    lock.locked { thread = PoolThread.current }
    Self.setCurrent(self)
    while let job = popFirst() ?? pool.nextJob(for: self) {
      withAutoreleasePool { job.run(handlerReturned: { isSettling = true }) }
      isSettling = false
    }
    Self.setCurrent(nil)
    // The thread returns to Dispatch. If the worker was woken again already, the old value was still correct until now.
    lock.locked { thread = nil }
  }

  private func popFirst() -> UncheckedJob? {
    guard mayHaveQueuedJobs else {
      consecutiveKeptJobs = 0
      return nil
    }
    let job = lock.locked { () -> UncheckedJob? in
      defer { mayHaveQueuedJobs = !local.isEmpty }
      if let job = next.take() { return job }
      consecutiveKeptJobs = 0
      return local.popFirst()
    }
    if job != nil { countBegunJob() }
    return job
  }

  private func countBegunJob() {
    // No other thread writes the number. Relaxed, for the reason that is given at the field.
    begunCount.store(begunCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Takes the job, to run it next on this thread, unless one of these is true:
  ///
  /// - The handler of the current job has not returned. It might wait for the new job.
  /// - There is a next job already.
  /// - Too many jobs in a row were kept.
  @inline(__always)
  func keepAsNext(_ job: inout UncheckedJob?) {
    guard isSettling, consecutiveKeptJobs < Self.maxConsecutiveKeptJobs else { return }
    lock.locked {
      if next == nil { next = job.take() }
    }
    if job != nil { return }
    consecutiveKeptJobs += 1
    mayHaveQueuedJobs = true
  }

  private static var maxConsecutiveKeptJobs: Int { 64 }
}

// MARK: - Under the pool's lock

extension PoolWorker {
  /// Records that one job begins, and takes others to run after it. Call on the thread of the worker.
  func take(first count: Int, of waiting: inout CircularBuffer<UncheckedJob>) {
    countBegunJob()
    if count == 0 { return }
    mayHaveQueuedJobs = true
    lock.locked { local.append(first: count, of: &waiting) }
  }

  /// Marks the worker as awake. The caller starts it after that.
  func wakeUp() {
    isAwake = true
    lastSeenBegunCount = nil
  }

  /// Records an inspection, and returns whether the worker runs the same job as at the last one.
  func checkProgress() -> Bool {
    let begunCount = begunCount.load(ordering: .relaxed)
    defer { lastSeenBegunCount = begunCount }
    return lastSeenBegunCount == begunCount
  }

  /// Whether the worker still runs the same job as at the last inspection.
  var isStuck: Bool { begunCount.load(ordering: .relaxed) == lastSeenBegunCount }

  /// Whether jobs wait with this worker.
  var hasQueuedJobs: Bool { lock.locked { next != nil || !local.isEmpty } }

  /// Returns the jobs that wait with this worker to the pool. Jobs of its share run before later ones.
  func returnJobs(to waiting: inout CircularBuffer<UncheckedJob>) {
    lock.locked {
      waiting.prepend(&local)
      if let job = next.take() { waiting.append(job) }
    }
  }
}

// MARK: - Called by the watcher

extension PoolWorker {
  /// Returns whether the job blocks its thread. The watcher calls it at each inspection.
  ///
  /// The answer is correct if the worker is still stuck afterwards, because then its thread was the same all the time.
  func isBlockingThread(isStuck: Bool) -> Bool {
    let thread = lock.locked { self.thread }
    // The state is read before the processor time, so a thread that is found asleep has used no processor time up to
    // that moment. A worker that still waits for its thread blocks none.
    let state = isStuck ? thread?.state ?? .runnable : .runnable
    return detector.observe(state, processorTime: thread?.processorTime, isSameJob: isStuck)
  }

  /// Whether the job may block its thread, so that the next inspection should follow soon.
  var isSuspicious: Bool { detector.isSuspicious }
}
