extension Deferred {
  /// Calls a hook when the promise is cancelled, so that the owner can stop the work (rule 4.5).
  ///
  /// ```swift
  /// let deferred = Deferred<Data>()
  /// let request = start { data in deferred.fulfill(data) }
  /// deferred.onCancel { [weak request] _ in request?.stop() }
  /// ```
  ///
  /// The hook runs **exactly once**, after everything that the cancellation settles is settled, and under no lock. The
  /// hook may call anything, also on this promise.
  ///
  /// - **A program's call of** ``AnyPromise/cancel(reason:upstream:)``, ``CancelBag/cancelAll(reason:)`` or
  ///   ``CancelBag/close(reason:)``, or of `bound(to:)` with a closed bag, runs the hook on its own thread, before the
  ///   outermost such call on that thread returns. So keep the hook short. After `Progress.cancel()`, that is the thread
  ///   on which Foundation calls the cancellation handler, perhaps after the call has returned.
  /// - **In every other case** the hook runs on the pool. A promise is also cancelled when a settlement or a time limit
  ///   gives it up, when its last client or a bag is deallocated, or when a cancelled Task gives it up. So the hook
  ///   never runs inside a call of an owner, on the thread of a timer, or in a `deinit`, and an owner may settle its
  ///   promises while it holds a lock that its hooks take. In a program that contains PromiseCore alone, the pool is a
  ///   detached Task. In a test world, the hook is a step of the world.
  ///
  /// To name the place in every case, use ``onCancel(on:_:)``. To clean up whatever settles the promise, use
  /// ``onEnd(_:)``.
  ///
  /// The hooks of a promise run in the order in which they were registered, and before those of the promises for which
  /// it waited. If a hook cancels other promises, these are settled when that `cancel` returns. Their hooks run when
  /// this hook has returned. So hooks may cancel each other's promises to any depth.
  ///
  /// The hook also runs when a time limit that the owner has set by `timeout(_:)` expires.
  ///
  /// - If the promise has been cancelled already, or such a limit has expired, the hook runs before this call returns.
  /// - If the promise is settled in any other way, also by the owner itself, the hook is released and never runs. So it
  ///   never stops work that has finished.
  ///
  /// The hook lives until the promise is settled. It must not retain this deferred, because then the deferred would
  /// never be deallocated while its promise is pending.
  ///
  /// - Parameter hook: receives the error with which the promise was cancelled.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onCancel(_ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.register(OwnerHook(action: .cancelled(prepared(hook))))
  }

  /// Calls a hook on a context when the promise is cancelled (rule 4.5).
  ///
  /// Works like ``onCancel(_:)``, but the hook runs on the context in every case, even if the promise has been
  /// cancelled already. If the context drops the hook, it runs on the pool, or in a test world as a step of the world.
  ///
  /// - Parameters:
  ///   - context: where the hook runs.
  ///   - hook: receives the error with which the promise was cancelled.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onCancel(on context: any ExecutionContext, _ hook: @escaping @Sendable (_ reason: any Error) -> Void) {
    source.register(OwnerHook(action: .cancelled(prepared(hook)), context: context))
  }

  /// Calls a hook of a combinator when the promise is cancelled, inside the call that cancels it. The hook stops a
  /// timer, and must neither cancel a promise nor run a closure of a client.
  ///
  /// - Parameter timer: describes the timer, if it is an ``AwaitedResource``.
  package func onCancelStoppingTimer(
    _ timer: any AnyObject & Sendable, _ hook: @escaping @Sendable (_ reason: any Error) -> Void
  ) {
    source.register(OwnerHook(action: .cancelledWithin(hook)), waitingFor: timer)
  }

  /// Calls a hook on a context when the promise is cancelled, or on another one if that context drops the hook.
  package func onCancel(
    on context: any ExecutionContext, orElseOn fallback: any ExecutionContext,
    _ hook: @escaping @Sendable (_ reason: any Error) -> Void
  ) {
    source.register(OwnerHook(action: .cancelled(prepared(hook)), context: context, fallback: fallback))
  }

  private func prepared(_ hook: @escaping CancelHook) -> CancelHook {
    Diagnostics.isActive ? source.prepare(hook) : hook
  }
}

extension Deferred {
  /// Calls a hook when the promise is settled, whatever settles it, so that the owner can clean up (rule 4.5).
  ///
  /// ```swift
  /// let file = try open(path)
  /// let deferred = Deferred<Int>()
  /// deferred.onEnd { _ in file.close() }
  /// ```
  ///
  /// The hook runs **exactly once**. It is not a consumer of the promise (rule 4.0), so it keeps no work going. A link
  /// or an observer that the owner attaches to its own promise does: with `always` or `onSettled` in place of this
  /// hook, the work would go on when the last client gives it up.
  ///
  /// - If the promise is cancelled, the hook runs where hooks of ``onCancel(_:)`` run, and after those of this promise.
  ///   It does not wait for hooks that run on a context of their own.
  /// - If the promise is settled in any other way, the hook runs on the pool, and never inside the call that settles
  ///   the promise.
  /// - If the promise is settled already, the same holds. After a cancellation, or an expired limit of the owner, the
  ///   hook runs before this call returns.
  ///
  /// The hook does not handle a rejection (rule 7.1). It lives until the promise is settled. It must not retain this
  /// deferred, because then the deferred would never be deallocated while its promise is pending.
  ///
  /// - Parameter hook: receives the outcome of the promise.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onEnd(_ hook: @escaping @Sendable (_ result: Result<Value, any Error>) -> Void) {
    addEndHook(on: nil, orElseOn: nil, hook)
  }

  /// Calls a hook on a context when the promise is settled, whatever settles it (rule 4.5).
  ///
  /// Works like ``onEnd(_:)``, but the hook runs on the context in every case. If the context drops the hook, it runs
  /// on the pool, or in a test world as a step of the world.
  ///
  /// - Parameters:
  ///   - context: where the hook runs.
  ///   - hook: receives the outcome of the promise.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onEnd(
    on context: any ExecutionContext, _ hook: @escaping @Sendable (_ result: Result<Value, any Error>) -> Void
  ) {
    addEndHook(on: context, orElseOn: nil, hook)
  }

  /// Calls a hook on a context when the promise is settled, or on another one if that context drops the hook.
  package func addEndHook(
    on context: (any ExecutionContext)?, orElseOn fallback: (any ExecutionContext)?,
    _ hook: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let body: @Sendable (AnyPromise) -> Void = { hook(Promise<Value>.downcast($0).outcome) }
    source.register(
      OwnerHook(
        action: .ended(Diagnostics.isActive ? source.prepare(body) : body), context: context, fallback: fallback))
  }
}
