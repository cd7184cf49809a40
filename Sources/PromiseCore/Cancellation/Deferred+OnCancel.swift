extension Deferred {
  /// Lets the owner know that its promise was cancelled, so that it can stop the work (rule 4.5; reference rows C8 and F8).
  ///
  /// ```swift
  /// let deferred = Deferred<Data>()
  /// let request = start { data in deferred.fulfill(data) }
  /// deferred.onCancel { _ in request.stop() }
  /// ```
  ///
  /// The hook runs **exactly once, inside the call that cancels the promise**, in the thread of that call: keep it short. The
  /// promise is settled by then, and no lock is held: the hook may call anything, also of this promise. Any number of hooks run
  /// in the order of their registration.
  ///
  /// If a hook cancels other promises, these are settled when that `cancel` returns, but their hooks run when this hook has
  /// returned, before the outermost `cancel` on this thread returns. So hooks may cancel each other's promises to any depth.
  ///
  /// It also runs when a time limit that the owner has set, `timeout(after:)`, expires.
  ///
  /// - If the promise has been cancelled already, the hook runs now, before this call returns.
  /// - If it is settled in any other way, by the owner itself too, the hook is released and never runs. So it never stops work
  ///   that has come to its end.
  ///
  /// The hook lives until the promise is settled: what it captures must not be what keeps this deferred from going.
  ///
  /// - Parameter hook: gets the error with which the promise was cancelled.
  /// - Complexity: O(1). The first hook of a promise makes its side table.
  public func onCancel(_ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.addCancelHook(Diagnostics.isActive ? source.prepare(hook) : hook)
  }

  /// As ``onCancel(_:)``, for a hook of a combinator that stops a timer and cancels no promise.
  package func onCancelStoppingTimer(_ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.addCancelHook(Diagnostics.isActive ? source.prepare(hook) : hook, isLeaf: true)
  }
}
