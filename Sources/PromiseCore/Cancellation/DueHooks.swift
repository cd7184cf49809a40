/// A hook that an outcome calls for, with the settled promise.
struct DueHook: Sendable {
  var hook: OwnerHook
  let promise: AnyPromise

  func run() {
    switch hook.action {
    case .cancelled(let body), .cancelledWithin(let body):
      if promise.relaxedState.isCancelledByCall, let error = promise.storedError { body(error) }
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

  private let place: Place
  private var here: [DueHook] = []
  /// In the order of the contexts' first hooks.
  private var elsewhere: [(context: any ExecutionContext, hooks: [DueHook])] = []
  /// The index in `elsewhere` of each context, by its identity (rule 2.2).
  private var indices: [ObjectIdentifier: Int] = [:]
  /// Released after the hooks have run or were scheduled, because a combination retains the inputs.
  private var combinations = ShortList<Combination>()

  init(of place: Place) { self.place = place }

  /// Takes the hooks of a settled promise, and releases those that its outcome does not call for. Also takes the
  /// combination of which the promise is the result.
  mutating func takeHooks(of promise: AnyPromise) {
    guard let table = promise.side.table else { return }
    let (hooks, combination) = table.locked { ($0.hooks.takeAll(), $0.combination.take()) }
    if let combination { combinations.append(combination) }
    if hooks.isEmpty { return }
    if promise.relaxedState.isCancelledByCall {
      for (_, hook) in hooks {
        switch hook.action {
        case .cancelled: add(DueHook(hook: hook, promise: promise))
        case .cancelledWithin: DueHook(hook: hook, promise: promise).run()
        case .ended: break
        }
      }
    }
    for (_, hook) in hooks {
      if case .ended = hook.action { add(DueHook(hook: hook, promise: promise)) }
    }
  }

  mutating func add(_ due: DueHook) {
    let context: any ExecutionContext
    if let named = due.hook.context {
      context = named
    } else if place == .cancellingThread, due.promise.relaxedState.isCancelledByCall {
      return here.append(due)
    } else {
      context = due.promise.hookContext
    }
    let identity = context.identity ?? ObjectIdentifier(context)
    if let index = indices[identity] {
      elsewhere[index].hooks.append(due)
    } else {
      indices[identity] = elsewhere.count
      elsewhere.append((context, [due]))
    }
  }

  /// Runs the hooks that run here, then schedules the others, so that a hook for the end comes after those for a
  /// cancellation. The caller has settled everything that it settles, and holds no lock.
  consuming func run() {
    if !here.isEmpty { HookRun.run(here) }
    for (context, hooks) in elsewhere { HookJob(hooks).schedule(on: context) }
  }
}

extension AnyPromise {
  /// Runs or schedules the hooks of this promise, which was settled on its own, and releases those that its outcome does
  /// not call for.
  final func endHooks(in place: DueHooks.Place) {
    guard side.hasTable else { return }
    var hooks = DueHooks(of: place)
    hooks.takeHooks(of: self)
    hooks.run()
  }

  /// Where the hooks of this promise run if their owner has named no context: the pool, or that of the test
  /// environment in which the promise was made.
  fileprivate final var hookContext: any ExecutionContext {
    scope?.testEnvironment?.hookContext ?? DetachedContext.pool
  }
}
