/// The state of a thread, as the system reports it.
package enum ThreadState: Sendable {
  /// The thread runs, or would run if it had a processor.
  case runnable
  /// The thread waits for something other than a processor.
  case asleep
  /// The system does not report the state. On Linux that is so if the process has no file descriptor left, or no
  /// `/proc`.
  case unknown
}

/// Decides whether a handler blocks its thread, from what the watcher of the pool observes at each inspection.
///
/// A thread that is asleep, and has used no processor time since the last inspection, is blocked. A thread that only
/// sleeps for a moment during an inspection is not. Its handler may still starve others, if it polls for the result of
/// another handler. So the detector collects evidence, and a thread also counts as blocked when there is enough
/// evidence for one job.
///
/// If the state of the thread is unknown, processor time is the only evidence. A thread that has used none may be
/// waiting for a processor, so it counts as blocked after 16 inspections (32 ms), as a polling thread does. A thread
/// that has used some may compute or poll. It counts as blocked after 256 inspections (half a second), because a pool
/// that hangs is worse than a needless thread.
package struct BlockDetector: Sendable {
  /// Whether the job may block its thread, so that the next inspection should follow soon.
  package private(set) var isSuspicious = false

  private var evidence = 0
  private var lastProcessorTime: Duration?

  private static var strongEvidence: Int { 16 }
  private static var enoughEvidence: Int { 16 * strongEvidence }

  package init() {}

  /// Records one inspection, and returns whether the job blocks its thread.
  ///
  /// - Parameters:
  ///   - state: the state of the thread.
  ///   - processorTime: the processor time that the thread has used since it was created, or `nil` if the system does
  ///     not report it.
  ///   - isSameJob: whether the thread runs the same job as at the last inspection.
  package mutating func observe(_ state: ThreadState, processorTime: Duration?, isSameJob: Bool) -> Bool {
    let isIdle = processorTime == lastProcessorTime
    lastProcessorTime = processorTime
    if !isSameJob { evidence = 0 }
    isSuspicious = isSameJob && state != .runnable
    guard isSuspicious else { return false }
    evidence += state == .asleep || isIdle ? Self.strongEvidence : 1
    return state == .asleep && isIdle || evidence >= Self.enoughEvidence
  }
}
