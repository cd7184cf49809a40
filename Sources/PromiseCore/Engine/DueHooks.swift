/// A hook that an outcome calls for, with the settled promise.
struct DueHook: Sendable {
  var hook: OwnerHook
  let promise: AnyPromise

  func run() {
    switch hook.action {
    case .cancelled(let body), .cancelledWithin(let body):
      if promise.relaxedState.isEndedByCall, let error = promise.storedError { body(error) }
    case .makerCancelled(let maker): _ = maker.detach()
    case .ended(let body): body(promise)
    }
  }

  /// The same hook, after the context that its owner has named has dropped it, or after its usual place has.
  var afterDrop: DueHook {
    var due = self
    due.hook.context = hook.context == nil ? DetachedContext.pool : hook.fallback
    due.hook.fallback = nil
    return due
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
  /// Released after the hooks have run or were scheduled, because a combination retains the inputs.
  private var combinations: [Combination] = []

  init(of place: Place) { self.place = place }

  var isEmpty: Bool { within.isEmpty && here.isEmpty && elsewhere.isEmpty && combinations.isEmpty }

  /// Keeps the combination of which a settled promise was the result.
  mutating func keep(_ combination: Combination) { combinations.append(combination) }

  /// Adds the hooks of a settled promise that its outcome calls for.
  mutating func add(_ hooks: [OwnerHook], of promise: AnyPromise) {
    if hooks.isEmpty { return }
    if promise.relaxedState.isEndedByCall {
      for hook in hooks {
        switch hook.action {
        case .cancelled: add(DueHook(hook: hook, promise: promise))
        case .cancelledWithin, .makerCancelled: within.append(DueHook(hook: hook, promise: promise))
        case .ended: break
        }
      }
    }
    for hook in hooks {
      if case .ended = hook.action { add(DueHook(hook: hook, promise: promise)) }
    }
  }

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
    // In the order of the contexts' first hooks.
    var jobs: [HookJob] = []
    // The index in `jobs` of each context, by its identity (rule 2.2).
    var indices: [ObjectIdentifier: Int] = [:]
    for (hook, context) in elsewhere {
      let identity = context.identity ?? ObjectIdentifier(context)
      if let index = indices[identity] {
        jobs[index].add(hook)
      } else {
        indices[identity] = jobs.count
        jobs.append(HookJob(hook, on: context))
      }
    }
    if here.isEmpty {
      for job in jobs { job.schedule() }
    } else {
      UnnestedWork.run(here.map { due in { due.run() } } + jobs.map { job in { job.schedule() } })
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
