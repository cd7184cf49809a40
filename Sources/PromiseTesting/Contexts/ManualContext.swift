public import PromiseCore

/// A context that runs nothing until it is told to: first in, first out, in the thread that tells it.
///
/// It may be scheduled on from any thread. With it a test controls the order of everything, without a clock.
public final class ManualContext: ExecutionContext {
  private struct State {
    var jobs: [Job] = []
    var batches: [Int] = []
    var isRunning = false
  }

  private let state = Locked(State())
  private let isGrouping: Bool

  /// - Parameter isGrouping: whether handlers of one settlement travel together (`identity`).
  public init(isGrouping: Bool = false) { self.isGrouping = isGrouping }

  public var identity: ObjectIdentifier? { isGrouping ? ObjectIdentifier(self) : nil }

  public var isCurrent: Bool? { state.withLock { $0.isRunning } }

  public func schedule(_ job: consuming Job) {
    let job = job
    state.withLock {
      $0.jobs.append(job)
      $0.batches.append(1)
    }
  }

  public func schedule(batch: consuming [Job]) {
    let batch = batch
    state.withLock {
      $0.jobs += batch
      $0.batches.append(batch.count)
    }
  }

  /// How many jobs wait.
  public var count: Int { state.withLock { $0.jobs.count } }

  /// The sizes of the batches in which jobs arrived, since the context was made.
  public var batches: [Int] { state.withLock { $0.batches } }

  /// Takes the oldest job out, for tests that drop it, keep it or run it twice.
  public func takeFirst() -> Job? {
    state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
  }

  /// Runs the oldest job. `false`: there was none.
  @discardableResult
  public func step() -> Bool {
    guard let job = takeFirst() else { return false }
    state.withLock { $0.isRunning = true }
    job.run()
    state.withLock { $0.isRunning = false }
    return true
  }

  /// Runs jobs until none is left, those that they schedule included. Returns how many.
  @discardableResult
  public func runUntilIdle() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Lets all waiting jobs go, unrun.
  public func dropAll() {
    var jobs: [Job] = []
    state.withLock { swap(&$0.jobs, &jobs) }
    // Let go here, outside the lock: what they held may schedule on this very context.
    withExtendedLifetime(jobs) {}
  }
}
