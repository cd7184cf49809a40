import Synchronization

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
    /// Runs whatever settles the promise, and is passed the promise.
    case ended(@Sendable (AnyPromise) -> Void)
  }

  let action: Action
  /// The context that the owner has named, if any.
  var context: (any ExecutionContext)?
  /// Where the hook runs if that context drops it, unless it runs where hooks without a context do.
  var fallback: (any ExecutionContext)?
}

/// The hooks of one promise. They are collected while it is pending, and taken out once when it is settled.
struct OwnerHooks {
  private var hooks: [(number: Int, hook: OwnerHook)] = []
  private var count = 0
  private var isTaken = false

  var isEmpty: Bool { hooks.isEmpty }

  /// Appends a hook, and returns its number. Returns `nil` if the promise is settled and the hooks were taken.
  mutating func append(_ hook: OwnerHook) -> Int? {
    if isTaken { return nil }
    count += 1
    hooks.append((count, hook))
    return count
  }

  /// Removes one hook. Returns `false` if the hooks were taken.
  mutating func remove(_ number: Int) -> Bool {
    guard let index = hooks.firstIndex(where: { $0.number == number }) else { return false }
    hooks.remove(at: index)
    return true
  }

  /// Removes and returns all hooks. Later calls return none.
  mutating func takeAll() -> [(number: Int, hook: OwnerHook)] {
    isTaken = true
    defer { hooks = [] }
    return hooks
  }
}

extension AnyPromise {
  /// Registers a hook. If this promise is settled, the hook runs now or on its context, or is released (rule 4.5).
  ///
  /// - Parameter isOwnersCall: whether the owner itself registers the hook. After a cancellation such a hook runs at
  ///   once. A hook of the library does not, because the call may be one that settles another promise.
  final func register(_ hook: OwnerHook, isOwnersCall: Bool = true) {
    let table = side.getOrCreateTable()
    let number = table.locked { $0.hooks.append(hook) }
    let state = stateInOrder
    guard state.isDone else { return }
    // This promise is settled, and the settling thread may have looked for the hook too early. Then this thread takes
    // the hook and runs it. Otherwise the settling thread has taken it.
    if let number, !table.locked({ $0.hooks.remove(number) }) { return }
    let due = DueHook(hook: hook, promise: self)
    if state.isCancelledByCall {
      if hook.context == nil, isOwnersCall { return due.run() }
    } else {
      guard case .ended = hook.action else { return }
    }
    var hooks = DueHooks(of: .elsewhere)
    hooks.add(due)
    hooks.run()
  }

  /// Calls the hook of the library when this promise is cancelled, or on the pool if it was cancelled before.
  @usableFromInline
  final func addCancelHook(_ hook: @escaping CancelHook) {
    register(OwnerHook(action: .cancelled(hook)), isOwnersCall: false)
  }
}
