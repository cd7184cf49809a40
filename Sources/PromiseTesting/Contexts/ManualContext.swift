import Foundation
import PromiseContexts
public import PromiseCore

/// An execution context that runs its jobs when it is told to, in the order in which they were scheduled, in the
/// calling thread.
///
/// Jobs may be scheduled from any thread. A test of a class that takes a context controls the order of all handlers
/// with it, without a ``TestWorld``.
public final class ManualContext: ExecutionContext {
  private struct State {
    var jobs = CircularBuffer<Job>()
    /// The threads that run jobs, with one entry for each job.
    var threads: [Thread] = []
  }

  private let state = Locked(State())
  private let isGrouping: Bool

  /// Creates a context without jobs. Handlers of one settlement are scheduled one by one.
  public convenience init() { self.init(isGrouping: false) }

  /// - Parameter isGrouping: whether handlers of one settlement are scheduled together (`identity`).
  package init(isGrouping: Bool) { self.isGrouping = isGrouping }

  /// The context itself, if handlers of one settlement are scheduled together.
  public var identity: ObjectIdentifier? { isGrouping ? ObjectIdentifier(self) : nil }

  /// Whether the calling thread runs a job of this context.
  public var isCurrent: Bool? { state.withLock { $0.threads.contains(.current) } }

  /// Adds a job, to be run by ``step()`` or ``runUntilIdle()``.
  public func schedule(_ job: consuming Job) { schedule(batch: [job]) }

  /// Adds jobs, to be run by ``step()`` or ``runUntilIdle()``.
  public func schedule(batch: consuming [Job]) {
    let batch = batch
    state.withLock { state in for job in batch { state.jobs.append(job) } }
  }

  /// The number of jobs that wait.
  public var count: Int { state.withLock { $0.jobs.count } }

  /// Removes and returns the oldest job. The caller runs it, or releases it, which rejects its promise (rule 6.2).
  public func takeFirst() -> Job? { state.withLock { $0.jobs.popFirst() } }

  /// Runs the oldest job. Returns `false` if there was none.
  @discardableResult
  public func step() -> Bool {
    guard let job = takeFirst() else { return false }
    state.withLock { $0.threads.append(.current) }
    job.run()
    state.withLock { state in state.threads.lastIndex(of: .current).map { _ = state.threads.remove(at: $0) } }
    return true
  }

  /// Runs jobs until none is left, including jobs that they schedule. Returns the number of jobs.
  @discardableResult
  public func runUntilIdle() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Releases all waiting jobs unrun, which rejects their promises (rule 6.2).
  public func dropAll() {
    var jobs = CircularBuffer<Job>()
    state.withLock { swap(&$0.jobs, &jobs) }
    // Released outside the lock, because what the jobs capture may schedule on this context.
    withExtendedLifetime(jobs) {}
  }
}
