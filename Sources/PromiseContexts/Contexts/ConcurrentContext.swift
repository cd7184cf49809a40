public import Dispatch
public import PromiseCore

/// Runs handlers on a dispatch queue without barriers, so that they overlap on a concurrent queue. See
/// ``PromiseCore/ExecutionContext/concurrent(_:)``.
public final class ConcurrentContext: ExecutionContext {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  /// Runs the job later. Other jobs may run at the same time.
  public func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    #if DEBUG
      // Retains this context, to which there is mostly no other reference. A blocking wait looks up the context of the
      // handler.
      queue.async { withExtendedLifetime(self) { job.run() } }
    #else
      queue.submit(job, asBarrier: false)
    #endif
  }

  /// `true` in a handler that has the queue to itself, in debug builds. Otherwise `nil`, as for a global queue, whose
  /// handlers overlap in any case.
  public var isCurrent: Bool? {
    !queue.isGlobal && ExclusiveExecution.isRunning(on: queue.canonicalQueue) ? true : nil
  }
}

extension ConcurrentContext: CustomStringConvertible {
  /// The label of the queue, with a note that jobs overlap.
  public var description: String { "the queue \"\(queue.label)\", beside others" }
}

extension ExecutionContext where Self == ConcurrentContext {
  /// Returns a context on which handlers may run at the same time, for handlers that only read the data that they share
  /// (rule 2.7).
  ///
  /// - Complexity: one allocation. Keep the context if you use it often.
  public static func concurrent(_ queue: DispatchQueue) -> ConcurrentContext { ConcurrentContext(queue) }

  /// Returns the context of the system's global queue of a quality of service. Handlers may run at the same time.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> ConcurrentContext {
    guard let index = ConcurrentContext.classes.firstIndex(of: qos) else { return .concurrent(.global(qos: qos)) }
    return ConcurrentContext.queues[index]
  }

  /// The context of the system's global queue of the default quality of service. Handlers may run at the same time.
  public static var global: ConcurrentContext { .global() }

  @available(*, unavailable, message: "name the queue: `on: .concurrent(queue)`")
  @_documentation(visibility: internal)
  public static var concurrent: ConcurrentContext { isNotCalled() }
}

extension ConcurrentContext {
  /// In the order in which they are looked for.
  fileprivate static let classes: [DispatchQoS.QoSClass] = [
    .default, .utility, .userInitiated, .background, .userInteractive,
  ]
  /// The contexts of the global queues, in the order of `classes`.
  fileprivate static let queues = classes.map { ConcurrentContext(.global(qos: $0)) }
}
