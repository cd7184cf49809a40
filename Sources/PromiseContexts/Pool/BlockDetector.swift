/// The state of a thread, as the system reports it.
package enum ThreadState: Sendable {
  /// The thread runs, or would run if it had a processor.
  case runnable
  /// The thread waits for something other than a processor.
  case asleep
  /// The system does not tell. On Linux it does not if the process has no file descriptor left, or no `/proc`.
  case unknown
}

/// Decides whether a handler blocks its thread, from what the watcher of the pool observes at each look.
///
/// A thread that is asleep, and has had no processor since the last look, is blocked. A thread that merely rests for a
/// moment when the watcher looks is not. Its handler may still starve others, because it polls for what another handler does.
/// So the detector collects evidence, and a thread is also blocked once there is enough of it for one job.
///
/// If the state of the thread is unknown, processor time is all there is to go by. A thread that has used none may still wait for a
/// processor, so it takes as much evidence as one that polls: 16 looks, 32 ms. A thread that has used some may compute, or poll: it
/// counts as blocked after 256 looks, half a second: a pool that hangs is worse than a needless thread.
package struct BlockDetector: Sendable {
  /// The job may block its thread, so the next look should come soon.
  package private(set) var isSuspicious = false

  private var evidence = 0
  private var lastProcessorTime: Duration?

  private static var strongEvidence: Int { 16 }
  private static var enoughEvidence: Int { 16 * strongEvidence }

  package init() {}

  /// Takes note of one look, and returns whether the job blocks its thread.
  ///
  /// - Parameters:
  ///   - processorTime: the processor time that the thread has used in its life; `nil` if the system does not tell.
  ///   - isSameJob: whether the thread runs the same job as at the last look.
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
