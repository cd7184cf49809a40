public import Foundation
public import PromiseContexts

/// An operation queue is a context: each handler is an operation of its own (reference row H3).
///
/// On a queue with a `maxConcurrentOperationCount` of 1 handlers run in order, one at a time (rule 2.2); on any other they may
/// overlap. The queue may be suspended: handlers wait. Operations that are cancelled before they run let their handlers
/// go, and the promises derived by them are rejected with ``/PromiseCore/PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// For handlers that belong on the main actor there is `.main`, which the compiler checks; `OperationQueue.main` it does not.
extension OperationQueue: ExecutionContext {
  /// Adds an operation that runs the job.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    addOperation { job.run() }
  }

  /// `true` if the calling thread runs an operation of this queue, and that runs one at a time. Else `nil`: there is no
  /// way to tell.
  public var isCurrent: Bool? {
    maxConcurrentOperationCount == 1 && OperationQueue.current === self ? true : nil
  }
}
