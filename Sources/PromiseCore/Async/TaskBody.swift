import Synchronization

/// The closure of a `Promise.task`. It is run by its Task, or released by an earlier cancellation.
///
/// `@unchecked Sendable`: the closure belongs to the thread that takes it.
final class TaskBody: @unchecked Sendable {
  /// Runs the client's closure, and returns the outcome.
  typealias Closure = nonisolated(nonsending) @Sendable () async -> Outcome

  private var closure: Closure?
  fileprivate let isTaken = Atomic<Bool>(false)

  init(_ closure: @escaping Closure) { self.closure = closure }

  /// Runs the closure, and releases it with everything that it captured. Does nothing if the promise is settled, even
  /// if the hook that drops the closure has not run yet.
  nonisolated(nonsending) func run(settling promise: AnyPromise) async -> Outcome? {
    guard promise.isPending, let closure = take() else { return nil }
    return await closure()
  }

  /// Releases the closure, unless it is running or has run.
  func drop() { _ = take() }

  private func take() -> Closure? {
    // Relaxed, because each thread has got the object from the thread that made it, and so sees its fields.
    if isTaken.exchange(true, ordering: .relaxed) { return nil }
    defer { closure = nil }
    return closure
  }
}

extension TaskBody: AwaitedResource {
  func name(for promise: AnyPromise) -> String { "its Task, made at \(promise.createdAt)" }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    // Relaxed, because this only describes the Task.
    let state = isTaken.load(ordering: .relaxed) ? "is running" : "has not begun"
    return WaitNode(
      .task, operation: "task", createdAt: promise.createdAt, label: promise.label, age: promise.age,
      summary: "\(name(for: promise)), which \(state)")
  }
}

extension TaskBody {
  /// Creates the Task that runs the closure and settles the promise. The Task starts on the actor, without a hop to
  /// get there.
  func start(on actor: (any Actor)?, priority: TaskPriority?, settling promise: AnyPromise) -> Task<Void, Never> {
    // Safe, because a function that is isolated to a parameter takes it as any other parameter. `assumeIsolated` relies
    // on that, too. The function accesses no state of the actor. It only lets the Task inherit it.
    let start = unsafe unsafeBitCast(
      Self.start, to: (((any Actor)?, TaskPriority?, TaskBody, AnyPromise) -> Task<Void, Never>).self)
    return start(actor, priority, self, promise)
  }

  private static func start(
    on actor: isolated (any Actor)?, priority: TaskPriority?, body: TaskBody, settling promise: AnyPromise
  ) -> Task<Void, Never> {
    guard let environment = Diagnostics.testEnvironment else {
      return Task(priority: priority) {
        // Captured, so that the Task inherits the actor.
        _ = actor
        if let outcome = await body.run(settling: promise) { _ = promise.settleAsOwner(with: outcome) }
      }
    }
    // In a test environment the Task starts on the environment's executor, whatever the actor. The closure that this
    // initializer takes is not `@isolated(any)` (Swift 6.3.1), even if there is no executor. If the client's closure
    // were begun there while its actor is busy, a cancel could not release it any more.
    if let actor { environment.willRunTask(settling: promise, on: actor) }
    return Task(executorPreference: environment.executor.naming(promise.createdAt), priority: priority) {
      _ = actor
      if let outcome = await body.run(settling: promise) { _ = promise.settleAsOwner(with: outcome) }
    }
  }
}
