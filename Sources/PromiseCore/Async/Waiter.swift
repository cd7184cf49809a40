/// The observer that resumes a Task which waits for a promise.
///
/// The Task is resumed by the thread that ends the entry: by the thread that settles the promise, or by the canceller
/// of the Task. Neither of them runs code of the Task.
///
/// The cancellation handler of a Task runs under a lock of the runtime. So it only takes the entry out of the list, and
/// resumes the Task. If the Task is going to give the promise up, it stays a consumer until it does so itself.
///
/// `@unchecked Sendable`: the fields are accessed under the lock of the entry. The continuation is resumed by the
/// thread that has ended the entry, once, which makes the class `@safe`.
@safe
final class Waiter: Entry<Never>, @unchecked Sendable {
  private let promise: AnyPromise
  private let givesUp: Bool
  private var continuation: UnsafeContinuation<Void, Never>?
  private var wasCancelled = false

  init(for promise: AnyPromise, givingUp givesUp: Bool) {
    self.promise = promise
    self.givesUp = givesUp
    super.init(from: promise, at: promise.site, [.value, .error, .isObserver], weight: 0)
  }

  /// Makes the continuation wait for the promise. It is resumed once the promise is settled, or as soon as the Task is
  /// cancelled.
  func wait(resuming continuation: UnsafeContinuation<Void, Never>) {
    let state = lock()
    if state.stage == .ended {
      unlock(state)
      return unsafe continuation.resume()
    }
    unsafe self.continuation = continuation
    unsafe link.pointee.source = PromisePointer(promise)
    unsafe link.pointee.body = HandlerBody { _, _ in
      unsafe continuation.resume()
      return .nothing
    }
    unlock(state)
    append(to: promise, looksAgain: true)
  }

  /// Called once when the Task is cancelled, on any thread, at any time.
  func taskWasCancelled() {
    let waiting = unsafe withState { state -> UnsafeContinuation<Void, Never>? in
      // If the promise is settled, the Task gets its outcome (rule 4.7).
      guard state.stage == .waiting, !promise.resolvedState.isDone else { return nil }
      state.stage = .ended
      wasCancelled = true
      // Releases nothing but the continuation, which is no object.
      unsafe (link.pointee.source, link.pointee.body) = (nil, nil)
      defer { unsafe continuation = nil }
      return unsafe continuation
    }
    guard let waiting = unsafe waiting else { return }
    if !givesUp { leave() }
    unsafe waiting.resume()
  }

  /// Takes the entry out of the list. What that means for an unobserved promise is left to the Task.
  private func leave() {
    let (promise, state) = Departure(promise: promise, entry: self).lockAndRemove()
    if let state { promise.unlock(state) }
  }

  /// Leaves the promise or gives it up, if the Task was resumed because it was cancelled. Returns whether it was.
  func leaveOrGiveUp(because error: CancellationError) -> Bool {
    guard locked({ wasCancelled }) else { return false }
    if givesUp {
      // A consumer that gives up a rejected promise has handled the rejection. This one was cancelled before, so it
      // leaves first (rule 7.1).
      leave()
      var cancellation = Cancellation(because: error, hooksRun: .elsewhere)
      cancellation.add(Departure(promise: promise), givingUp: true)
      cancellation.run()
    } else {
      let promise = promise.resolved
      if promise.isUnobserved { UnnestedWork.giveUpUnobserved(promise) }
    }
    return true
  }
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
