import Dispatch
import PromiseCore

/// One of a pool's threads, or none as long as it has nothing to do.
///
/// A serial queue of its own, and not a place on a global queue: Dispatch gives a serial queue a thread even where
/// handlers block all those of the global queues.
///
/// `@unchecked Sendable`: who touches which of the plain fields is said at them.
final class PoolWorker: @unchecked Sendable {
  unowned let pool: Pool
  // With a quality of service: else it would be that of whoever schedules first, for all that others schedule meanwhile.
  private let queue = DispatchQueue(label: "promise.pool", qos: .default)

  // Under the pool's lock.
  @safe @exclusivity(unchecked) var isAwake = true
  /// Its job blocks its thread, and another worker stands in for it, until the job has ended.
  @safe @exclusivity(unchecked) var isBlocked = false
  /// How many jobs it had begun when it was last looked at, if it was since it was woken.
  @safe @exclusivity(unchecked) private var lastSeenBegunCount: Int?

  // Under the worker's own.
  private let lock = ShortLock()
  @safe @exclusivity(unchecked) private var local = CircularBuffer<Job>()
  @safe @exclusivity(unchecked) private var next: Job?
  /// How many jobs it has begun.
  @safe @exclusivity(unchecked) private var begunCount = 0
  @safe @exclusivity(unchecked) private var thread: PoolThread?

  // Of the watcher, which looks at one time after the other.
  @safe @exclusivity(unchecked) private var detector = BlockDetector()

  // In its thread.
  /// The handler of the present job has returned, and what it promised is being settled.
  @safe @exclusivity(unchecked) private var isSettling = false
  @safe @exclusivity(unchecked) private var consecutiveKeptJobs = 0

  init(of pool: Pool) { self.pool = pool }

  /// Gets a thread, and works until there is nothing left to do.
  func start() { queue.async { [self, pool] in drain(pool) } }

  private func drain(_ pool: Pool) {
    lock.locked { thread = PoolThread.current }
    Self.current = self
    while let job = popFirst() ?? pool.nextJob(for: self) {
      withAutoreleasePool { job.run(handlerReturned: { isSettling = true }) }
      isSettling = false
    }
    Self.current = nil
    // The thread goes back to Dispatch. The worker may have been woken again already: then it still is this one, until here.
    lock.locked { thread = nil }
  }

  private func popFirst() -> Job? {
    let (job, wasNext) = lock.locked { () -> (Job?, Bool) in
      let next = next.take()
      let job = next ?? local.popFirst()
      if job != nil { begunCount += 1 }
      return (job, next != nil)
    }
    if !wasNext { consecutiveKeptJobs = 0 }
    return job
  }

  /// Takes the job, to run it next, in this thread. Not if the handler of the present one has not returned, and might wait
  /// for this one; nor if there is such a job already, or there were too many in a row.
  func keepAsNext(_ job: inout Job?) {
    guard isSettling, consecutiveKeptJobs < Self.maxConsecutiveKeptJobs else { return }
    lock.locked {
      if next == nil { next = job.take() }
    }
    if job == nil { consecutiveKeptJobs += 1 }
  }

  private static var maxConsecutiveKeptJobs: Int { 64 }
}

// MARK: - Under the pool's lock

extension PoolWorker {
  /// Begins one job, and takes others to run after it.
  func take(first count: Int, of waiting: inout CircularBuffer<Job>) {
    lock.locked {
      begunCount += 1
      local.append(first: count, of: &waiting)
    }
  }

  /// Before it is started.
  func wakeUp() {
    isAwake = true
    lastSeenBegunCount = nil
  }

  /// Returns whether it is at the same job as when it was last looked at.
  func checkProgress() -> Bool {
    let begunCount = lock.locked { self.begunCount }
    defer { lastSeenBegunCount = begunCount }
    return lastSeenBegunCount == begunCount
  }

  /// The same, without looking anew.
  var isStuck: Bool { lock.locked { begunCount } == lastSeenBegunCount }

  /// Jobs wait with it.
  var hasQueuedJobs: Bool { lock.locked { next != nil || !local.isEmpty } }

  /// Gives back what waits with it, to be run before what came later.
  func returnJobs(to waiting: inout CircularBuffer<Job>) {
    lock.locked {
      waiting.prepend(&local)
      if let job = next.take() { waiting.append(job) }
    }
  }
}

// MARK: - Of the watcher

extension PoolWorker {
  /// Returns whether its job blocks its thread. Asked by the watcher each time it looks; right as long as the worker is stuck: its thread
  /// is the same before and after.
  func isBlockingThread(isStuck: Bool) -> Bool {
    let thread = lock.locked { self.thread }
    // In this order: asleep, and up to now without a processor. A worker that still waits for its thread blocks none.
    let state = isStuck ? thread?.state ?? .runnable : .runnable
    return detector.observe(state, processorTime: thread?.processorTime, isSameJob: isStuck)
  }

  /// Its job may block its thread: the watcher looks again soon.
  var isSuspicious: Bool { detector.isSuspicious }
}
