public import Foundation
public import PromiseContexts

/// An execution context that runs its handlers on one thread, in order, one at a time (rule 2.2).
///
/// ```swift
/// let drawing = ThreadContext(named: "drawing")
/// let shown = picture.map(on: drawing) { layout($0) }
/// ```
///
/// Use it for code that must stay on one thread, such as some libraries written in C. If only the order matters, a
/// serial queue costs less. There are two ways to get a context:
/// - ``init(named:qualityOfService:stackSize:)`` starts a thread for the context. The thread ends after the context is
///   released.
/// - ``current`` is a context for the calling thread, which must run its run loop.
///
/// Handlers run in turns of the thread's run loop, in its common modes. A new handler wakes the loop. Handlers that are
/// waiting when a turn begins run in that turn. Handlers that they schedule run in the next turn, so that timers and
/// input sources also run. A handler that runs the loop itself lets handlers run that are scheduled from then on. While
/// a context for the thread exists, `RunLoop.current.run()` does not return.
///
/// When the thread ends, handlers that have not run reject their promises with ``ThreadEndedError``, and so do handlers
/// that are scheduled later (rule 6.2). A handler that calls `Thread.exit()` also rejects its promise. Swift does not
/// unwind such a handler, so objects that its local variables and its captures retain are never released.
public final class ThreadContext: ExecutionContext, NamedContext, MainLoopContext {
  private let jobQueue: ThreadJobQueue

  package var contextName: String {
    jobQueue.name.isEmpty ? "a thread without a name" : "the thread \"\(jobQueue.name)\""
  }

  /// - Parameter jobQueue: the queue of the thread, which has counted this context.
  private init(_ jobQueue: ThreadJobQueue) { self.jobQueue = jobQueue }

  deinit { jobQueue.removeContext() }

  /// Starts a thread that runs its run loop for handlers.
  ///
  /// The thread ends when its last context has been released and all scheduled handlers have run. A pending link
  /// retains its context. A timer or another source that a handler adds to the run loop also keeps the thread, until
  /// the source is removed.
  ///
  /// - Parameters:
  ///   - name: the name of the thread, for debuggers and ``ThreadEndedError``.
  ///   - qualityOfService: the quality of service of the thread.
  ///   - stackSize: the size of the stack in bytes, which is a multiple of the page size, or `nil` for the system's
  ///     default.
  /// - Complexity: blocks until the thread has started.
  public convenience init(
    named name: String, qualityOfService: QualityOfService = .default, stackSize: Int? = nil
  ) {
    self.init(.onThread(named: name, qualityOfService: qualityOfService, stackSize: stackSize))
  }

  /// A context for the calling thread. Its handlers wait until the thread runs its run loop.
  ///
  /// On the main thread, `.main` is an alternative, whose handlers are `@MainActor`.
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

  /// The identity of the thread. Handlers of one settlement are scheduled on it together (rule 2.2).
  public var identity: ObjectIdentifier? { ObjectIdentifier(jobQueue) }

  /// `true` on the thread itself. On other threads `nil`, because this thread may be waiting for the calling thread.
  public var isCurrent: Bool? { jobQueue.isOfCallingThread ? true : nil }

  package var placeInMainLoop: PlaceInMainLoop? {
    jobQueue.isOfCallingThread && !jobQueue.isRunningJob ? .source : nil
  }
}

extension ExecutionContext where Self == ThreadContext {
  /// A context for the calling thread. See ``ThreadContext/current``.
  @available(*, noasync, message: "a Task has no thread of its own")
  public static var currentThread: ThreadContext { .current }
}
