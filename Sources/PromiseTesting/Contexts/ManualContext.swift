import Foundation
import PromiseContexts
public import PromiseCore

/// A context that runs nothing until it is told to: first in, first out, in the thread that tells it.
///
/// It may be scheduled on from any thread. With it a test of one class that takes a context controls the order of
/// everything, without a ``TestWorld``.
public final class ManualContext: ExecutionContext {
  private struct State {
    var jobs = Ring<Job>()
    var batches: [Int] = []
    /// Those that run jobs, one entry for each.
    var threads: [Thread] = []
  }

  private let state = Locked(State())
  private let isGrouping: Bool

  /// A context with nothing to run, whose handlers never travel together.
  public convenience init() { self.init(isGrouping: false) }

  /// - Parameter isGrouping: whether handlers of one settlement travel together (`identity`).
  package init(isGrouping: Bool) { self.isGrouping = isGrouping }

  /// Its own, if handlers of one settlement are to travel together.
  public var identity: ObjectIdentifier? { isGrouping ? ObjectIdentifier(self) : nil }

  /// Whether the calling thread runs a job of this context.
  public var isCurrent: Bool? { state.withLock { $0.threads.contains(.current) } }

  /// Runs the job when told to.
  public func schedule(_ job: consuming Job) { schedule(batch: [job]) }

  /// Runs the jobs when told to.
  public func schedule(batch: consuming [Job]) {
    let batch = batch
    state.withLock {
      for job in batch { $0.jobs.append(job) }
      $0.batches.append(batch.count)
    }
  }

  /// How many jobs wait.
  public var count: Int { state.withLock { $0.jobs.count } }

  /// The sizes of the batches in which jobs arrived, since the context was made.
  package var batches: [Int] { state.withLock { $0.batches } }

  /// Takes the oldest job out: to run it, or to let it go, which rejects its promise (rule 6.2).
  public func takeFirst() -> Job? { state.withLock { $0.jobs.popFirst() } }

  /// Runs the oldest job. `false`: there was none.
  @discardableResult
  public func step() -> Bool {
    guard let job = takeFirst() else { return false }
    state.withLock { $0.threads.append(.current) }
    job.run()
    state.withLock { state in state.threads.lastIndex(of: .current).map { _ = state.threads.remove(at: $0) } }
    return true
  }

  /// Runs jobs until none is left, those that they schedule included. Returns how many.
  @discardableResult
  public func runUntilIdle() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Lets all waiting jobs go, unrun: their promises are rejected (rule 6.2).
  public func dropAll() {
    var jobs = Ring<Job>()
    state.withLock { swap(&$0.jobs, &jobs) }
    // Let go here, outside the lock: what they held may schedule on this very context.
    withExtendedLifetime(jobs) {}
  }
}
