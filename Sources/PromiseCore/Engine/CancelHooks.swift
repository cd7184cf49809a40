import Synchronization

/// What the owner of a promise wants to be told when it is cancelled (rule 4.5).
@usableFromInline
package typealias CancelHook = @Sendable (_ reason: any Error) -> Void

/// The hooks of one promise: collected while it is pending, taken out once when it is settled.
struct CancelHooks {
  private var hooks: [CancelHook]? = []

  /// `false`: the promise is settled, and the hooks were taken.
  mutating func append(_ hook: @escaping CancelHook) -> Bool {
    guard hooks != nil else { return false }
    hooks?.append(hook)
    return true
  }

  /// All hooks, for the first who asks.
  mutating func take() -> [CancelHook] {
    defer { hooks = nil }
    return hooks ?? []
  }
}

extension AnyPromise {
  /// Tells the hook once, inline in the call that cancels this promise, or here and now if that has happened.
  @usableFromInline
  final func addCancelHook(_ hook: @escaping CancelHook) {
    let isAdded = side.demandTable().locked { $0.cancelHooks.append(hook) }
    let state = CellWord(bits: word.load(ordering: .sequentiallyConsistent))
    guard state.isDone else { return }
    // Settled: whoever settled may have looked for the hook too early.
    if isAdded { endCancelHooks() } else if state.isCancelledByCall, let error { hook(error) }
  }

  /// This promise is settled: runs its hooks if it was cancelled, and drops them else.
  final func endCancelHooks() {
    guard let hooks = side.table?.locked({ $0.cancelHooks.take() }) else { return }
    guard cellHint.isCancelledByCall, let error else { return }
    for hook in hooks { hook(error) }
  }
}
