/// A closure of the owner that is called when the promise is cancelled (rule 4.5).
@usableFromInline
package typealias CancelHook = @Sendable (_ reason: any Error) -> Void

/// A hook that says when the work of the owner has stopped (rule 4.5).
final class AwaitedHook: Sendable {
  typealias Body = @Sendable ((promise: AnyPromise, end: EndOfHook)) -> Void

  /// The place of the call that has registered the hook.
  let site: Site
  /// Receives the settled promise, and passes a promise to `end` once.
  let body: Body

  init(at site: Site, _ body: @escaping Body) {
    self.site = site
    self.body = body
  }
}

/// Receives the promise for the end of the work that a hook stops (rule 4.5).
struct EndOfHook: Sendable {
  /// Has a hold for the hook. `nil` if the hook was registered after the settlement, and so is not waited for.
  fileprivate let finish: Finish?
  fileprivate let place: HookPlace

  func wait(for promise: AnyPromise?) {
    guard let finish else { return }
    finish.removeNote(of: place)
    guard let promise else { return finish.release() }
    if let site = place.site, promise.waits(for: finish) {
      // The hook would wait for itself (rule 3.2).
      let failed = Promise<Void>(pendingAt: site)
      _ = failed.rejectAsOwner(PromiseError.cycle(createdAt: site, ring: [promise.createdAt]))
      return finish.release()
    }
    finish.passHold(to: promise, from: place)
  }
}

/// A closure that an owner has registered for the end of its promise, and the place where it runs.
struct OwnerHook: Sendable {
  enum Action: Sendable {
    /// Runs if the promise is cancelled.
    case cancelled(CancelHook)
    /// Runs if the promise is cancelled, and says when the work has stopped.
    case cancelledThen(AwaitedHook)
    /// Runs if the promise is cancelled, inside the call that cancels it. The hook is the library's own. It stops a
    /// timer or drops a closure, and cancels no promise.
    case cancelledWithin(CancelHook)
    /// Ends the job that makes the owner, inside the call that cancels the promise.
    case makerCancelled(OwnerMaker)
    /// Drops the closure of a Task inside the call that cancels the promise, or is informed when it has returned.
    case taskStopped(TaskBody)
    /// Runs whatever settles the promise, and is passed the promise.
    case ended(@Sendable (AnyPromise) -> Void)
    /// Runs whatever settles the promise, and says when the work has stopped.
    case endedThen(AwaitedHook)
  }

  let action: Action
  /// The context that the owner has named, if any.
  var context: (any ExecutionContext)?
  /// Where the hook runs if that context drops it, unless it runs where hooks without a context do.
  var fallback: (any ExecutionContext)?

  /// Whether the promise has not finished before the hook has run, or what it stands for has ended (rule 2.11).
  func isAwaited(afterCancelling isCancelled: Bool) -> Bool {
    switch action {
    case .cancelled, .cancelledThen, .makerCancelled, .taskStopped: isCancelled
    case .endedThen: true
    case .cancelledWithin, .ended: false
    }
  }

  /// The place of the hook, for descriptions. `nil` for a hook of the library, and for one that runs in the call which
  /// settles the promise.
  var place: HookPlace? {
    switch action {
    case .cancelledThen(let hook), .endedThen(let hook): place(of: hook)
    case .cancelled: context.map { HookPlace(site: nil, context: $0) }
    case .cancelledWithin, .makerCancelled, .taskStopped, .ended: nil
    }
  }

  fileprivate func place(of hook: AwaitedHook) -> HookPlace {
    HookPlace(site: CreationSite(hook.site), context: context)
  }

  /// Whether the hook runs whatever settles the promise.
  var isForEnd: Bool {
    switch action {
    case .ended, .endedThen: true
    case .cancelled, .cancelledThen, .cancelledWithin, .makerCancelled, .taskStopped: false
    }
  }
}

extension AnyPromise {
  /// Registers a hook. If this promise is settled, the hook runs now or on its context, or is released (rule 4.5).
  ///
  /// - Parameters:
  ///   - isOwnersCall: whether the owner itself registers the hook. After a cancellation such a hook runs at once. A
  ///     hook of the library does not, because the call may be one that settles another promise.
  ///   - awaited: the timer or the Task that will settle the promise, and that the hook stops.
  final func register(
    _ hook: OwnerHook, isOwnersCall: Bool = true, waitingFor awaited: (any AnyObject & Sendable)? = nil
  ) {
    let state = lock()
    if state.isPending {
      sideTable.hooks.append(hook)
      if let awaited { sideTable.awaited = awaited }
      unlock(state)
      if awaited != nil, Diagnostics.hasEnrollments { noteAwaited() }
      return
    }
    unlock(state)
    if state.isForwarded { return resolved.register(hook, isOwnersCall: isOwnersCall) }
    let due = DueHook(hook: hook, promise: self, finish: nil)
    if state.isEndedByCall {
      if hook.context == nil, isOwnersCall { return due.run() }
    } else {
      guard hook.isForEnd else { return }
    }
    var hooks = DueHooks(of: .elsewhere)
    hooks.add(due)
    hooks.run()
  }

  /// Calls the hook of the library when this promise is cancelled, or on the pool if it was cancelled before.
  ///
  /// - Parameter task: see `register`.
  final func addCancelHook(stopping task: (any AnyObject & Sendable)? = nil, _ hook: @escaping CancelHook) {
    register(OwnerHook(action: .cancelled(hook)), isOwnersCall: false, waitingFor: task)
  }
}

/// A hook that an outcome calls for, with the settled promise.
final class DueHook: Sendable {
  let hook: OwnerHook
  let promise: AnyPromise
  /// Has a hold for the hook, if that is awaited. `nil` if the hook was registered after the settlement.
  let finish: Finish?

  init(hook: OwnerHook, promise: AnyPromise, finish: Finish?) {
    self.hook = hook
    self.promise = promise
    self.finish = finish
  }

  func run() {
    switch hook.action {
    case .cancelled(let body):
      if let error = promise.storedError { body(error) }
      if let finish {
        if let place = hook.place { finish.removeNote(of: place) }
        finish.release()
      }
    case .cancelledThen(let awaited), .endedThen(let awaited):
      awaited.body((promise, EndOfHook(finish: finish, place: hook.place(of: awaited))))
    case .cancelledWithin(let body): if let error = promise.storedError { body(error) }
    case .makerCancelled(let maker): maker.cancel(holding: finish)
    case .taskStopped(let task): task.drop(holding: finish)
    case .ended(let body): body(promise)
    }
  }

  /// The same hook, after the context that its owner has named has dropped it, or after its usual place has.
  var afterDrop: DueHook {
    let context = hook.context == nil ? DetachedContext.pool : hook.fallback
    return DueHook(hook: OwnerHook(action: hook.action, context: context), promise: promise, finish: finish)
  }
}

/// The hooks that one settlement or one cancellation has made due (rule 4.5).
///
/// No hook runs inside a call of an owner (rule 2.1). So hooks run on the calling thread only if a program has called
/// `cancel`. Otherwise they run on the pool, those of one cancellation in one job. The owner may have named another
/// context.
struct DueHooks {
  enum Place {
    /// In the program's call of `cancel`, before the outermost such call on the thread returns.
    case cancellingThread
    /// On the pool.
    case elsewhere
  }

  let place: Place
  /// The library's own hooks, which run before all others, on this thread.
  private var within: [DueHook] = []
  private var here: [DueHook] = []
  private var elsewhere: [(hook: DueHook, context: any ExecutionContext)] = []
  /// Released when the hooks have run, or were handed to the outermost call, because a combination retains the inputs.
  private var combinations: [Combination] = []

  init(of place: Place) { self.place = place }

  var isEmpty: Bool { within.isEmpty && here.isEmpty && elsewhere.isEmpty && combinations.isEmpty }

  /// Keeps the combination of which a settled promise was the result.
  mutating func keep(_ combination: Combination) { combinations.append(combination) }

  /// Adds the hooks of a settled promise that its outcome calls for.
  ///
  /// - Parameter finish: that of the promise, with a hold for each awaited hook.
  mutating func add(_ hooks: [OwnerHook], of promise: AnyPromise, heldBy finish: Finish? = nil) {
    if hooks.isEmpty { return }
    if promise.relaxedState.isEndedByCall {
      for hook in hooks {
        switch hook.action {
        case .cancelled, .cancelledThen: add(DueHook(hook: hook, promise: promise, finish: finish))
        case .cancelledWithin, .makerCancelled, .taskStopped:
          within.append(DueHook(hook: hook, promise: promise, finish: finish))
        case .ended, .endedThen: break
        }
      }
    }
    for hook in hooks where hook.isForEnd { add(DueHook(hook: hook, promise: promise, finish: finish)) }
  }

  @inline(never)
  mutating func add(_ due: DueHook) {
    if due.hook.context == nil, place == .cancellingThread, due.promise.relaxedState.isEndedByCall {
      here.append(due)
    } else {
      elsewhere.append((due, due.hook.context ?? due.promise.hookContext))
    }
  }

  /// Runs the hooks that run here, then schedules the others, so that a hook for the end comes after those for a
  /// cancellation. The caller has settled everything that it settles, and holds no lock.
  consuming func run() {
    for hook in within { hook.run() }
    var jobs = ContextGroups<HookJob>()
    for (hook, context) in elsewhere { jobs.add(hook, on: context, groupingByObject: true) }
    if here.isEmpty {
      jobs.schedule()
    } else {
      UnnestedWork.run(here.map { due in { due.run() } } + jobs.all.map { job in { job.schedule() } })
    }
  }
}

extension AnyPromise {
  /// Where the hooks of this promise run if their owner has named no context: the pool, or that of the test
  /// environment in which the promise was made.
  fileprivate final var hookContext: any ExecutionContext {
    scope?.testEnvironment?.hookContext ?? DetachedContext.pool
  }
}

/// Hooks that run in one job of a context.
///
/// If the context drops the job, the hooks run on their fallback, or where they run if their owner has named no
/// context, because each runs exactly once (rule 4.5).
///
/// `@unchecked Sendable`, because the hooks belong to the thread that makes or runs the job, or else to `deinit`.
final class HookJob: ContextGroup, @unchecked Sendable {
  let context: any ExecutionContext
  private var hooks: [DueHook]

  init(_ hook: DueHook, on context: any ExecutionContext) {
    self.context = context
    hooks = [hook]
  }

  deinit {
    if hooks.isEmpty { return }
    var due = DueHooks(of: .elsewhere)
    for hook in hooks { due.add(hook.afterDrop) }
    due.run()
  }

  /// Adds a hook. The job is not scheduled yet.
  func add(_ hook: DueHook) { hooks.append(hook) }

  func schedule() {
    guard let promise = hooks.first?.promise else { return }
    let entry = Entry<Never>(
      from: promise, at: promise.site, [.isObserver, .value, .error, .isNotConsumer, .runsHooks], weight: 0)
    let body = HandlerBody { [self] _, _ in
      run()
      return .nothing
    }
    entry.start(on: context, body, source: promise)
  }

  private func run() {
    let hooks = hooks
    self.hooks = []
    UnnestedWork.run(hooks.map { due in { due.run() } })
  }
}
