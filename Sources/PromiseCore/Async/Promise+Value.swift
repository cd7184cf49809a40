extension Promise {
  /// The value, or the error as a throw: suspends until the promise is settled (rule 4.7).
  ///
  /// ```swift
  /// let user = try await promise.value
  /// ```
  ///
  /// - If the promise is settled, its outcome comes at once and without suspending, in a cancelled Task too.
  /// - If the Task is cancelled while it waits, or was before, this throws `CancellationError` at once. The promise stays as it
  ///   is: others may wait for it. It has one consumer less (rule 4.0), and keeps nothing of this one. To cancel the work as
  ///   well, call the promise's own `cancel`.
  /// - If the promise is rejected, its error is thrown, which counts as looking at it (rule 7.1). A cancelled promise throws
  ///   its reason, a `CancellationError` unless another was given.
  ///
  /// Any number of Tasks may wait, on any actor; each resumes where it was. The call that settles the promise runs none of
  /// their code.
  ///
  /// - Complexity: O(1): one link. A cancelled wait O(1), amortised.
  @inlinable
  public nonisolated(nonsending) var value: Value {
    get async throws {
      if !cell.isDone { try await settled() }
      return try Promise<Value>.downcast(resolved).examinedOutcome.get()
    }
  }
}

extension AnyPromise {
  /// Returns as soon as this promise is settled, or throws as soon as the Task is cancelled.
  @usableFromInline
  nonisolated(nonsending) final func settled() async throws(CancellationError) {
    let promise = resolved
    if promise.cell.isDone { return }
    let waiter = Waiter()
    // The waiter does not keep the promise.
    defer { withExtendedLifetime(promise) {} }
    await withTaskCancellationHandler {
      await unsafe withUnsafeContinuation { unsafe waiter.wait(for: promise, resuming: $0) }
    } onCancel: {
      waiter.cancel()
    }
    guard waiter.isCalledOff else { return }
    waiter.bury()
    throw CancellationError()
  }
}
