public import PromiseCore

/// An execution context of a ``TestWorld``. It runs its jobs when the world is told to run.
///
/// A serial context runs its jobs one at a time, in the order in which they were scheduled. A concurrent context may
/// run any of its jobs next. Jobs may be scheduled from any thread. After the end of the world jobs are dropped, which
/// rejects their promises (rule 6.2).
public final class TestContext: ExecutionContext {
  /// The name of the context in reports.
  public let name: String

  private let isSerial: Bool
  private let scheduler: Scheduler
  private let contextQueue: ScheduleQueue.ContextQueueID

  /// - Parameter isMain: whether no step of another world's `main` may run beside one of this context.
  init(_ name: String, isSerial: Bool, isMain: Bool = false, on scheduler: Scheduler) {
    self.name = name
    self.isSerial = isSerial
    self.scheduler = scheduler
    contextQueue = scheduler.addContextQueue(name, isSerial: isSerial, isMain: isMain)
  }

  /// Runs the job when the world is told to run it.
  public func schedule(_ job: consuming Job) { schedule(batch: [job]) }

  /// Runs the jobs when the world is told to run them. Jobs of other contexts may run between them, as on threads.
  public func schedule(batch: consuming [Job]) {
    // The caller may have copies, and could run one while the world describes the job.
    scheduler.add(batch.compactMap { $0.taken() }.map { .job($0) }, to: contextQueue)
  }

  /// The context itself if it is serial, so that handlers of one settlement are scheduled together, in order (rule
  /// 2.2).
  public var identity: ObjectIdentifier? { isSerial ? ObjectIdentifier(self) : nil }

  /// Whether the calling thread runs a job of this serial context. `nil` for a concurrent context, where other jobs can
  /// run beside it.
  public var isCurrent: Bool? {
    isSerial ? scheduler.stepLock.tryWithLock { scheduler.withQueue { $0.isRunning(contextQueue) } } ?? false : nil
  }

  /// Adds an action that is not a handler of a promise.
  func add(_ name: String, _ action: @escaping @Sendable () -> Void) {
    scheduler.add([.action(name: name, action)], to: contextQueue)
  }
}

extension TestContext: CustomStringConvertible {
  /// The name of the context and its kind.
  public var description: String { "\(name), a context of a TestWorld" }
}
