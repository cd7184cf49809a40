public import Dispatch
public import PromiseCore

/// Makes a dispatch queue a context on which each handler has the queue to itself.
///
/// A serial queue runs its blocks one after another anyway. On a concurrent queue of your own, a handler is a barrier,
/// so handlers may write shared data without a lock. For handlers that only read, see
/// ``PromiseCore/ExecutionContext/concurrent(_:)``. Global queues ignore barriers, so handlers overlap there, and a
/// debug build prints a notice once (rule 2.7).
extension DispatchQueue: ExecutionContext, NamedContext {
  package var contextName: String { canonicalQueue === Self.sharedMain ? "the main queue" : "the queue \"\(label)\"" }

  /// Runs the job later, as a barrier (rule 2.7).
  public func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    #if DEBUG
      GlobalQueueNotice.shared.check(self)
      async(flags: .barrier) {
        ExclusiveExecution.run(on: self.canonicalQueue) { job.run() }
      }
    #else
      submit(job, asBarrier: true)
    #endif
  }

  /// Runs the jobs later, in order, in one block. On a global queue, each has its own.
  public func schedule(batch: consuming [Job]) { scheduleUnchecked(batch: batch.compactMap { $0.takeUnchecked() }) }

  @_documentation(visibility: internal)
  public func scheduleEngineJobs(_ jobs: consuming EngineJobs) {
    let jobs = jobs.take()
    #if DEBUG
      GlobalQueueNotice.shared.check(self)
    #endif
    // Handlers overlap there.
    if isGlobal { return submitOneByOne(jobs) }
    async(flags: .barrier) {
      #if DEBUG
        ExclusiveExecution.run(on: self.canonicalQueue) { for job in jobs { job.run() } }
      #else
        for job in jobs { job.run() }
      #endif
    }
  }

  @inline(never)
  private func submitOneByOne(_ jobs: [UncheckedJob]) { for job in jobs { submit(job, asBarrier: false) } }

  /// The identity of the queue. Handlers of one settlement on it are scheduled as one batch (rule 2.2).
  public var identity: ObjectIdentifier? { ObjectIdentifier(canonicalQueue) }

  /// `true` if the calling thread runs on this queue, or on a queue whose target this queue is.
  ///
  /// Otherwise `nil`. The thread may be inside a `sync` on this queue with a `sync` on another queue inside it, and
  /// Dispatch does not report that. A global queue serves many threads, so the property is always `nil` there.
  ///
  /// - Complexity: two allocations.
  public var isCurrent: Bool? {
    if isGlobal { return nil }
    let key = DispatchSpecificKey<Void>()
    setSpecific(key: key, value: ())
    defer { setSpecific(key: key, value: nil) }
    return DispatchQueue.getSpecific(key: key) == nil ? nil : true
  }

  /// Whether this is one of the system's global queues, which ignore barriers.
  var isGlobal: Bool { label.hasPrefix("com.apple.root.") }
}

extension DispatchQueue {
  #if canImport(Darwin)
    /// The main queue.
    static var sharedMain: DispatchQueue { .main }

    /// This queue. It is the only object for its queue.
    var canonicalQueue: DispatchQueue { self }
  #else
    // Where Dispatch is not part of the system, each read of `DispatchQueue.main` returns a new object. Handlers on two
    // of these objects would be scheduled neither in one batch nor in order.

    /// The main queue, always the same object.
    static let sharedMain: DispatchQueue = {
      let main = DispatchQueue.main
      main.setSpecific(key: mainKey, value: ())
      return main
    }()

    private static let mainKey = DispatchSpecificKey<Void>()

    /// The same object for all objects that stand for one queue.
    var canonicalQueue: DispatchQueue {
      let main = Self.sharedMain
      return getSpecific(key: Self.mainKey) == nil ? self : main
    }
  #endif
}

extension ExecutionContext where Self == DispatchQueue {
  /// Returns a dispatch queue as a context, on which each handler has the queue to itself. It is the queue itself.
  public static func queue(_ queue: DispatchQueue) -> DispatchQueue { queue }

  @available(*, unavailable, message: "name the queue: `on: .queue(queue)`, or `on: queue`")
  @_documentation(visibility: internal)
  public static var queue: DispatchQueue { isNotCalled() }
}
