public import Foundation
public import PromiseContexts

/// An operation queue is an execution context. Each handler is an operation of its own.
///
/// On a queue with a `maxConcurrentOperationCount` of 1, handlers run in order, one at a time (rule 2.2). On any other
/// queue, they may overlap. While the queue is suspended, handlers wait. An operation that is cancelled before it runs
/// releases its handler unrun. Then the promise that the handler derives is rejected with
/// ``/PromiseCore/PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// For handlers that belong on the main actor, use `.main`. The compiler checks their isolation there, but not on
/// `OperationQueue.main`.
extension OperationQueue: ExecutionContext, NamedContext, MainLoopContext {
  package var contextName: String { "the operation queue \"\(name ?? "")\"" }

  /// Adds an operation that runs the job.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    addOperation { job.run() }
  }

  /// `true` if the calling thread runs an operation of this queue, and the queue runs one operation at a time.
  /// Otherwise `nil`, because the queue cannot be recognised.
  public var isCurrent: Bool? {
    maxConcurrentOperationCount == 1 && OperationQueue.current === self ? true : nil
  }

  package var placeInMainLoop: PlaceInMainLoop? { self === OperationQueue.main ? .mainQueue : nil }
}
