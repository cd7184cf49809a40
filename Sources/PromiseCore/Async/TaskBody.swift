import Synchronization

/// The closure of a `Promise.task`, which its Task runs, or a cancellation that comes before lets go.
///
/// `@unchecked Sendable`: the closure belongs to who takes it.
final class TaskBody: @unchecked Sendable {
  /// Runs the user's closure and claims the promise. `false`: somebody else has.
  typealias Closure = nonisolated(nonsending) @Sendable () async -> Bool

  private var closure: Closure?
  private let isTaken = Atomic<Bool>(false)

  init(_ closure: @escaping Closure) { self.closure = closure }

  /// Runs the closure, and releases it with all it captured.
  nonisolated(nonsending) func run() async -> Bool {
    guard let closure = take() else { return false }
    return await closure()
  }

  /// Releases the closure, unless it runs or has run.
  func drop() { _ = take() }

  private func take() -> Closure? {
    // Relaxed: whoever gets here has the object from the thread that made it.
    if isTaken.exchange(true, ordering: .relaxed) { return nil }
    defer { closure = nil }
    return closure
  }
}

extension TaskBody {
  /// Makes the Task that runs the closure and publishes the promise. It starts on the actor, without a hop to get there.
  func start(on actor: (any Actor)?, priority: TaskPriority?, settling promise: AnyPromise) -> Task<Void, Never> {
    // Safe: a function that is isolated to a parameter takes it as any other (`assumeIsolated` does the same). It touches
    // nothing of the actor's, it only lets the Task inherit it.
    let start = unsafe unsafeBitCast(
      Self.start, to: (((any Actor)?, TaskPriority?, TaskBody, AnyPromise) -> Task<Void, Never>).self)
    return start(actor, priority, self, promise)
  }

  private static func start(
    on actor: isolated (any Actor)?, priority: TaskPriority?, body: TaskBody, settling promise: AnyPromise
  ) -> Task<Void, Never> {
    guard let environment = Diagnostics.testEnvironment else {
      return Task(priority: priority) {
        // Captured, and so inherited.
        _ = actor
        if await body.run() { promise.publish() }
      }
    }
    // Starts on that executor, whatever the actor: what this initializer takes is not `@isolated(any)` (Swift 6.3.1), not even without
    // an executor. A closure that had begun there while its actor was busy could not be released by a cancel any more.
    if let actor { environment.willRunTask(settling: promise, on: actor) }
    return Task(executorPreference: environment.executor.naming(promise.createdAt), priority: priority) {
      _ = actor
      if await body.run() { promise.publish() }
    }
  }
}
