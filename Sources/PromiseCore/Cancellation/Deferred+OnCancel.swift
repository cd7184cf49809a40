extension Deferred {
  /// Calls a hook when the promise is cancelled, so that the owner can stop the work (rule 4.5).
  ///
  /// ```swift
  /// let deferred = Deferred<Data>()
  /// let request = start { data in deferred.fulfill(data) }
  /// deferred.onCancel { _ in request.stop() }
  /// ```
  ///
  /// The hook runs **exactly once, inside the call that cancels the promise**, on the thread of that call, so keep it
  /// short. The promise is settled by then, and no lock is held. The hook may call anything, also on this promise. The
  /// hooks of a promise run in the order in which they were registered.
  ///
  /// If a hook cancels other promises, these are settled when that `cancel` returns. Their hooks run when this hook has
  /// returned, before the outermost `cancel` on this thread returns. So hooks may cancel each other's promises to any
  /// depth.
  ///
  /// The hook also runs when a time limit that the owner has set by `timeout(after:)` expires.
  ///
  /// - If the promise has been cancelled already, the hook runs before this call returns.
  /// - If the promise is settled in any other way, also by the owner itself, the hook is released and never runs. So it
  ///   never stops work that has finished.
  ///
  /// The hook lives until the promise is settled. It must not retain this deferred, because then the deferred would
  /// never be deallocated while its promise is pending.
  ///
  /// - Parameter hook: receives the error with which the promise was cancelled.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onCancel(_ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.addCancelHook(Diagnostics.isActive ? source.prepare(hook) : hook)
  }

  /// Calls a hook of a combinator when the promise is cancelled, as ``onCancel(_:)`` does. The hook stops a timer, and
  /// must not cancel a promise.
  package func onCancelStoppingTimer(_ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.addCancelHook(Diagnostics.isActive ? source.prepare(hook) : hook, isLeaf: true)
  }
}
