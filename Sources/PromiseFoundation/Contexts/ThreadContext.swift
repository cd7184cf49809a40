public import Foundation
public import PromiseContexts

/// A thread as a context: its handlers run there, in order, one at a time (reference row H4; rule 2.2).
///
/// ```swift
/// let drawing = ThreadContext(named: "drawing")
/// let shown = picture.map(on: drawing) { layout($0) }
/// ```
///
/// It is for what must stay on one thread, such as a library written in C; where only the order matters a serial queue
/// costs less. There are two ways to have one:
/// - ``init(named:qualityOfService:stackSize:)`` starts a thread that is there for the context, and ends with it.
/// - ``current`` is the calling thread, whatever it is; that must run its run loop.
///
/// Handlers run when the run loop of the thread comes to them, in its common modes; it is woken for them. Those that are
/// there when a turn begins run in that turn, and what they attach in the next, so that timers and input get theirs. A
/// handler that runs the loop itself lets run what is scheduled from then on. As long as somebody holds a context for it, the run loop has
/// something to wait for: `RunLoop.current.run()` does not return.
///
/// When the thread ends, the promises derived by handlers that have not run, and by those that come later, are rejected
/// with ``ThreadEndedError`` (rule 6.2). (RXPromise left them pending for ever.) So is the promise of a handler that calls
/// `Thread.exit()`. Swift does not unwind such a handler, so that what its local variables and its captures hold is never released.
public final class ThreadContext: ExecutionContext {
  private let jobQueue: ThreadJobQueue

  /// - Parameter jobQueue: the queue of the thread, which has counted this context.
  private init(_ jobQueue: ThreadJobQueue) { self.jobQueue = jobQueue }

  deinit { jobQueue.removeContext() }

  /// Starts a thread that runs its run loop for handlers.
  ///
  /// It ends when nobody holds a context for it, and the handlers that were scheduled there have run. A pending link holds its
  /// context. What a handler puts on the run loop of its own, timers for example, keeps the thread until it is gone.
  ///
  /// - Parameters:
  ///   - name: that of the thread, for debuggers and ``ThreadEndedError``.
  ///   - qualityOfService: that of the thread.
  ///   - stackSize: in bytes, a multiple of the size of a page; `nil`: the system's.
  /// - Complexity: waits until the thread has started.
  public convenience init(
    named name: String, qualityOfService: QualityOfService = .default, stackSize: Int? = nil
  ) {
    self.init(.onThread(named: name, qualityOfService: qualityOfService, stackSize: stackSize))
  }

  /// The calling thread, which is to run its run loop: handlers wait until it does.
  ///
  /// On the main thread `.main` does as well, and its handlers are `@MainActor`.
  @available(*, noasync, message: "a Task has no thread of its own")
  public static var current: ThreadContext {
    let jobQueue = ThreadJobQueue.current
    jobQueue.addContext()
    return ThreadContext(jobQueue)
  }

  /// Runs the job in a later turn of the thread's run loop, or rejects it if the thread has ended.
  public func schedule(_ job: consuming Job) { jobQueue.add(CollectionOfOne(consume job)) }

  /// Runs the jobs in one later turn, in order.
  public func schedule(batch: consuming [Job]) { jobQueue.add(consume batch) }

  /// The thread: handlers of one settlement travel there together (rule 2.2).
  public var identity: ObjectIdentifier? { ObjectIdentifier(jobQueue) }

  /// `true` in the thread itself. Else `nil`: it may be waiting for the calling one.
  public var isCurrent: Bool? { jobQueue.isOfCallingThread ? true : nil }
}

extension ExecutionContext where Self == ThreadContext {
  /// The calling thread, see ``ThreadContext/current``.
  @available(*, noasync, message: "a Task has no thread of its own")
  public static var currentThread: ThreadContext { .current }
}
