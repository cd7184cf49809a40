import Dispatch
import PromiseCore
import Synchronization
import TestSupport
import Testing

@testable import PromiseContexts

/// The worker of a thread of the test requests jobs, as a worker does on its own thread. So the test decides when it
/// searches.
/// One at a time, because one of them switches the search off for all pools.
@Suite("Workers of the pool that search for a job", .bounded, .serialized) struct PoolSearchTests {
  private let pool = Pool(width: 2, limit: 4, notice: .shared)

  /// The pool searches on Apple platforms only if a program asks for it.
  init() { PoolContext.searchesBeforeSleeping = true }

  @Test("While a worker searches, a single job wakes no other worker, and this one runs it")
  func found() async {
    let worker = awakeWorker(patience: .max / 2)
    async let job = hasJob(for: worker)
    await isSearched()
    schedule()
    #expect(await job)
    #expect(pool.workers.count == 1)
    #expect(!isWatched(pool))
    #expect(!pool.isSearched)
  }

  @Test("A worker whose patience is at its end retires, and the next job wakes it")
  func patience() async {
    let worker = awakeWorker(patience: 3)
    #expect(await !hasJob(for: worker))
    #expect(!worker.isAwake)
    #expect(pool.running == 0)
    #expect(!pool.isSearched)
  }

  @Test("At most one worker searches, and the others retire at once")
  func one() async {
    let searching = awakeWorker(patience: .max / 2)
    async let job = hasJob(for: searching)
    await isSearched()
    let other = awakeWorker(patience: .max / 2)
    #expect(await !hasJob(for: other))
    #expect(!other.isAwake)
    schedule()
    #expect(await job)
  }

  @Test("If a second job waits behind the one for the worker that searches, the pool is watched or wakes another one")
  func second() async {
    // No other worker may run, so only the watcher can help.
    let pool = Pool(width: 1, limit: 2, notice: .shared)
    let worker = PoolWorker(of: pool)
    pool.lock.locked {
      pool.workers.append(worker)
      pool.running = 1
      #expect(pool.beginSearch(of: worker))
    }
    schedule(on: pool)
    #expect(!isWatched(pool))
    schedule(on: pool)
    #expect(isWatched(pool))
    worker.patience = 0
    #expect(await hasJob(for: worker, of: pool))
    #expect(await hasJob(for: worker, of: pool))
    #expect(await !hasJob(for: worker, of: pool))
  }

  @Test("A search that finds a job doubles the patience, up to 1,024 looks")
  func grows() async {
    for (patience, next) in [(64, 128), (1_000, 1_024)] {
      let worker = awakeWorker(patience: patience)
      pool.lock.locked { _ = pool.beginSearch(of: worker) }
      schedule()
      #expect(pool.search(with: worker).map(run) != nil)
      #expect(worker.patience == next)
      _ = await hasJob(for: worker)
    }
  }

  @Test("A search that finds nothing halves the patience, down to 16 looks")
  func shrinks() async {
    let worker = awakeWorker(patience: 256)
    for expected in [128, 64, 32, 16, 16] {
      #expect(await !hasJob(for: worker))
      #expect(worker.patience == expected)
      wake(worker)
    }
  }

  @Test("A worker without patience does not search, as on a machine with one processor")
  func none() async {
    let worker = awakeWorker(patience: 0)
    #expect(!worker.maySearch)
    #expect(await !hasJob(for: worker))
  }

  @Test("A worker does not search while the search is switched off")
  func off() async {
    PoolContext.searchesBeforeSleeping = false
    defer { PoolContext.searchesBeforeSleeping = true }
    let worker = awakeWorker(patience: 64)
    #expect(await !hasJob(for: worker))
    #expect(worker.patience == 64)
  }

  /// Returns a worker that is awake.
  private func awakeWorker(patience: Int) -> PoolWorker {
    let worker = PoolWorker(of: pool)
    worker.patience = patience
    pool.lock.locked {
      pool.workers.append(worker)
      pool.running += 1
    }
    return worker
  }

  private func wake(_ worker: PoolWorker) {
    pool.lock.locked {
      worker.wakeUp()
      pool.running += 1
    }
  }

  private func schedule(on pool: Pool? = nil) {
    _ = Promise.fulfilled(()).map(on: PassingContext(pool: pool ?? self.pool)) {}
  }

  /// Requests a job on a thread of its own, and runs it.
  private func hasJob(for worker: PoolWorker, of pool: Pool? = nil) async -> Bool {
    let pool = pool ?? self.pool
    let hasJob = await withCheckedContinuation { continuation in
      DispatchQueue(label: "worker").async {
        let hasJob = pool.nextJob(for: worker).map(run) != nil
        pool.lock.locked {}
        continuation.resume(returning: hasJob)
      }
    }
    // ThreadSanitizer sees by the lock, but not always by the continuation, that the worker's thread is done with it.
    pool.lock.locked {}
    return hasJob
  }

  private func isWatched(_ pool: Pool) -> Bool { pool.isWatched.load(ordering: .relaxed) }

  /// Waits until a worker searches.
  private func isSearched() async {
    #expect(await eventually { pool.lock.locked { pool.isSearched } })
  }
}

private func run(_ job: UncheckedJob) { job.run(handlerReturned: {}) }

/// Passes each job to a pool.
private final class PassingContext: ExecutionContext {
  private let pool: Pool

  init(pool: Pool) { self.pool = pool }

  func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { pool.schedule(job) }
  }
}
