/// The observer that resumes a Task which waits for a promise.
///
/// The Task is resumed by the thread that settles the promise. If the Task is cancelled, it is resumed by its
/// canceller, or, if it was the last consumer of a promise that it gives up, at the end of the job that does the rest
/// of that cancellation. No such thread runs code of the Task.
///
/// The cancellation handler of a Task runs under a lock of the runtime. So it takes the entry out of the list, and
/// settles the promise if the Task gives that up. Everything else is left to the pool.
///
/// `@unchecked Sendable`, because the fields are accessed under the lock of the entry. `@safe`, because the
/// continuation is resumed once, by the thread that has taken it under that lock.
@safe
final class Waiter: Entry<Never>, @unchecked Sendable {
  private let promise: AnyPromise
  private let givesUp: Bool
  /// Where the rest of a cancellation happens, instead of the pool.
  private let context: (any ExecutionContext)?
  private var continuation: UnsafeContinuation<Void, Never>?
  /// The Task need not be suspended any more.
  private var isOver = false
  private var isTaskCancelled = false

  init(for promise: AnyPromise, givingUp givesUp: Bool, restOn context: (any ExecutionContext)?) {
    self.promise = promise
    self.givesUp = givesUp
    self.context = context
    super.init(from: promise, at: promise.site, [.value, .error, .isObserver], weight: 0)
  }

  /// Becomes a consumer of the promise. No other thread knows this entry yet.
  func begin() {
    // Safe, because the body is that of this entry.
    unsafe link.pointee.body = HandlerBody { _, waiter in
      unsafe unsafeDowncast(waiter, to: Waiter.self).resumeTask()
      return .nothing
    }
    wait(for: promise)
  }

  /// Makes the continuation wait until the promise is settled, or the Task is cancelled.
  func wait(resuming continuation: UnsafeContinuation<Void, Never>) {
    let isSuspended = locked {
      if isOver { return false }
      unsafe self.continuation = continuation
      return true
    }
    if !isSuspended { unsafe continuation.resume() }
  }

  /// Resumes the Task, or keeps it from being suspended.
  private func resumeTask() {
    let waiting = unsafe locked { () -> UnsafeContinuation<Void, Never>? in
      isOver = true
      defer { unsafe continuation = nil }
      return unsafe continuation
    }
    guard let waiting = unsafe waiting else { return }
    if Diagnostics.isActive, promise.scope?.testEnvironment != nil {
      let promise = promise.resolved
      AwaitedByTask.$current.withValue("\(promise.name), \(promise.origin)") { unsafe waiting.resume() }
    } else {
      unsafe waiting.resume()
    }
  }

  /// Called once when the Task is cancelled, on any thread, at any time after `begin`.
  func taskWasCancelled() {
    let hasEnded = withState { state in
      // If the promise is settled, the Task gets its outcome (rule 4.7).
      guard state.stage == .waiting, !promise.resolvedState.isDone else { return false }
      state.stage = .ended
      isTaskCancelled = true
      // The body captures nothing, so no object is released.
      unsafe link.pointee.source = nil
      unsafe link.pointee.body = nil
      return true
    }
    guard hasEnded else { return }
    // A consumer that gives up a rejected promise has handled the rejection. This one was cancelled before, so it
    // leaves first (rule 7.1).
    leave()
    if !leaveOrGiveUp() { resumeTask() }
  }

  /// Takes the entry out of the list.
  private func leave() {
    let (promise, state) = Departure(promise: promise, entry: self).lockAndRemove()
    if let state { promise.unlock(state) }
  }

  /// Gives the promise up, or cancels it if no client is left whose absence its owner observes. Returns `false` if that
  /// has settled nothing.
  private func leaveOrGiveUp() -> Bool {
    guard givesUp || promise.resolved.isUnobserved else { return false }
    var cancellation = Cancellation(because: CancellationError(), hooksRun: .elsewhere)
    cancellation.add(Departure(promise: promise), givingUp: givesUp)
    return SplitCancellation(cancellation).settle(restOn: context) { [self] in resumeTask() }
  }

  /// Whether the Task was cancelled before the promise was settled.
  var wasCancelled: Bool { locked { isTaskCancelled } }
}

/// The promise that makes a Task ready to go on, in words, for the executor of a test environment.
package enum AwaitedByTask {
  /// Has a value while the calling thread resumes a Task that has waited for a promise.
  @TaskLocal package static var current: String?
}

/// The context of links with an async closure. It runs each in a detached Task of its own.
///
/// The Task holds the entry as a running job does. So a cancel still finds it (rule 4.2), the source is still its
/// `parent` (rule 6.3), and a closure whose promise is cancelled before the Task has started never runs (rule 2.5).
@usableFromInline
final class AwaitingContext: NamedContext {
  private static let standard = AwaitingContext(nil, on: nil)
  private let priority: TaskPriority?
  private let executor: (any TestTaskExecutor)?

  @usableFromInline var contextName: String { "a Task" }

  private init(_ priority: TaskPriority?, on executor: (any TestTaskExecutor)?) {
    self.priority = priority
    self.executor = executor
  }

  @usableFromInline
  static func with(_ priority: TaskPriority?) -> any ExecutionContext {
    let executor = Diagnostics.testEnvironment?.executor
    return priority == nil && executor == nil ? standard : AwaitingContext(priority, on: executor)
  }

  /// Creates the Task. It is detached, because this runs on whatever thread settles the promise. The task-local values,
  /// the priority and the actor of that thread do not concern the handler.
  @usableFromInline
  func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    let executor = executor?.naming(job.site)
    // Read before the Task starts, because the Task releases the entry when it ends.
    let promise = job.entry.strong
    let task = Task.detached(executorPreference: executor, priority: priority) { await job.runAwaiting() }
    // If the promise was cancelled meanwhile, the hook runs on the pool.
    promise.addCancelHook { _ in task.cancel() }
  }

  @usableFromInline
  func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }
}
