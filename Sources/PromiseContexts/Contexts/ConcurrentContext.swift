public import Dispatch
public import PromiseCore

/// A dispatch queue on which handlers are *not* barriers: on a concurrent queue they overlap. See
/// ``PromiseCore/ExecutionContext/concurrent(_:)``.
public final class ConcurrentContext: ExecutionContext {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  /// Runs the job later, beside others.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    #if DEBUG
      // Keeps this context, which is mostly nobody else's, for who asks what the handler waits for.
      queue.async { withExtendedLifetime(self) { job.run() } }
    #else
      queue.async { job.run() }
    #endif
  }

  /// `true` in a handler that has the queue to itself, in debug builds; else `nil`.
  public var isCurrent: Bool? { ExclusiveExecution.isRunning(on: queue.canonicalQueue) ? true : nil }
}

extension ConcurrentContext: CustomStringConvertible {
  /// The queue's label, and that others run beside.
  public var description: String { "the queue \"\(queue.label)\", beside others" }
}

extension ExecutionContext where Self == ConcurrentContext {
  /// A concurrent queue for handlers that only read what they share: they may run at the same time (rule 2.7).
  ///
  /// - Complexity: one allocation; keep the context if you use it often.
  public static func concurrent(_ queue: DispatchQueue) -> ConcurrentContext { ConcurrentContext(queue) }

  /// The system's queue of a quality of service. Handlers may run at the same time.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> ConcurrentContext {
    ConcurrentContext.global[qos] ?? ConcurrentContext(DispatchQueue.global(qos: qos))
  }
}

extension ConcurrentContext {
  fileprivate static let global: [DispatchQoS.QoSClass: ConcurrentContext] = {
    let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
    return Dictionary(uniqueKeysWithValues: classes.map { ($0, ConcurrentContext(.global(qos: $0))) })
  }()
}
