/// A closure of the owner that is called when the promise is cancelled (rule 4.5).
@usableFromInline
package typealias CancelHook = @Sendable (_ reason: any Error) -> Void

/// A closure that an owner has registered for the end of its promise, and the place where it runs.
struct OwnerHook: Sendable {
  enum Action: Sendable {
    /// Runs if the promise is cancelled.
    case cancelled(CancelHook)
    /// Runs if the promise is cancelled, inside the call that cancels it. The hook is the library's own. It stops a
    /// timer or drops a closure, and cancels no promise.
    case cancelledWithin(CancelHook)
    /// Ends the job that makes the owner, inside the call that cancels the promise.
    case makerCancelled(OwnerMaker)
    /// Runs whatever settles the promise, and is passed the promise.
    case ended(@Sendable (AnyPromise) -> Void)
  }

  let action: Action
  /// The context that the owner has named, if any.
  var context: (any ExecutionContext)?
  /// Where the hook runs if that context drops it, unless it runs where hooks without a context do.
  var fallback: (any ExecutionContext)?
}

extension AnyPromise {
  /// Registers a hook. If this promise is settled, the hook runs now or on its context, or is released (rule 4.5).
  ///
  /// - Parameters:
  ///   - isOwnersCall: whether the owner itself registers the hook. After a cancellation such a hook runs at once. A hook
  ///     of the library does not, because the call may be one that settles another promise.
  ///   - awaited: the timer or the Task that will settle the promise, and that the hook stops.
  final func register(
    _ hook: OwnerHook, isOwnersCall: Bool = true, waitingFor awaited: (any AnyObject & Sendable)? = nil
  ) {
    let state = lock()
    if state.isPending {
      sideTable.hooks.append(hook)
      if let awaited { sideTable.awaited = awaited }
      unlock(state)
      if awaited != nil, Diagnostics.isActive { noteAwaited() }
      return
    }
    unlock(state)
    if state.isForwarded { return resolved.register(hook, isOwnersCall: isOwnersCall) }
    let due = DueHook(hook: hook, promise: self)
    if state.isEndedByCall {
      if hook.context == nil, isOwnersCall { return due.run() }
    } else {
      guard case .ended = hook.action else { return }
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
