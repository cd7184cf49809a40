/// The closure of a `Promise.task`. It is run by its Task, or released by an earlier cancellation.
///
/// `@unchecked Sendable`, because the closure belongs to the thread that takes it.
final class TaskBody: @unchecked Sendable {
  /// Runs the client's closure, and returns the outcome.
  typealias Closure = nonisolated(nonsending) @Sendable () async -> Outcome

  private let lock = ShortLock()
  private var guarded: Guarded

  private struct Guarded {
    var closure: Closure?
    var isRunning = false
    /// Waits until the closure has returned, because the promise was cancelled meanwhile (rule 2.11).
    var finish: Finish?
  }

  init(_ closure: @escaping Closure) { guarded = Guarded(closure: closure) }

  /// Runs the closure, releases it with everything that it captured, and settles the promise. Does nothing if the
  /// promise is settled, even if the hook that drops the closure has not run yet.
  nonisolated(nonsending) func run(settling promise: AnyPromise) async {
    guard promise.isPending, let outcome = await outcome() else { return }
    _ = promise.settleAsOwner(with: outcome)
    let finish = lock.locked {
      defer { guarded = Guarded() }
      return guarded.finish
    }
    finish?.release()
  }

  private nonisolated(nonsending) func outcome() async -> Outcome? {
    guard let closure = take() else { return nil }
    return await closure()
  }

  /// Releases the closure, unless it is running or has run. The promise was cancelled.
  ///
  /// - Parameter finish: that of the promise, with a hold until the closure has been released, or has returned.
  func drop(holding finish: Finish?) {
    let (closure, isRunning) = lock.locked {
      defer {
        guarded.closure = nil
        if guarded.isRunning { guarded.finish = finish }
      }
      return (guarded.closure, guarded.isRunning)
    }
    _ = consume closure
    if isRunning { finish?.note(.task(self)) } else { finish?.release() }
  }

  private func take() -> Closure? {
    lock.locked {
      defer { guarded.closure = nil }
      guarded.isRunning = guarded.closure != nil
      return guarded.closure
    }
  }

  /// Whether the closure is running.
  var isRunning: Bool { lock.locked { guarded.isRunning } }

  fileprivate var isTaken: Bool { lock.locked { guarded.closure == nil } }
}

extension TaskBody: AwaitedResource {
  func name(for promise: AnyPromise) -> String { Self.name(at: promise.createdAt) }

  var maker: Operation { .task }

  private static func name(at site: CreationSite) -> String { "its Task, made at \(site)" }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    WaitNode(
      .task, operation: "task", createdAt: promise.createdAt, label: promise.label, age: promise.age,
      summary: "\(name(for: promise)), which \(state)")
  }

  private var state: String { isTaken ? "is running" : "has not begun" }

  func causeSummary(for promise: AnyPromise) -> String {
    "the Task of \(promise.name) made at \(promise.createdAt), which \(state)"
  }

  /// Describes the running Task of a settled promise apart from that promise.
  func causeSummary(of finish: Finish) -> String {
    let label = finish.subject.label.map { " \(quotedLabel($0))" } ?? ""
    return "the Task of a settled promise\(label) made at \(CreationSite(finish.subject.site)), which is running"
  }

  /// Describes the running Task of a settled promise.
  func waitNode(of finish: Finish) -> WaitNode {
    let site = CreationSite(finish.subject.site)
    return WaitNode(
      .task, operation: "task", createdAt: site, label: finish.subject.label, age: finish.age,
      summary: "\(Self.name(at: site)), which is running")
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
        await body.run(settling: promise)
      }
    }
    // In a test environment the Task starts on the environment's executor, whatever the actor. The closure that this
    // initializer takes is not `@isolated(any)` (Swift 6.3.1), even if there is no executor. If the client's closure
    // were begun there while its actor is busy, a cancel could not release it any more.
    if let actor { environment.willRunTask(settling: promise, on: actor) }
    return Task(executorPreference: environment.executor.naming(promise.createdAt), priority: priority) {
      _ = actor
      await body.run(settling: promise)
    }
  }
}
