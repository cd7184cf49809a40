extension Promise {
  /// The value, or the error as a throw: suspends until the promise is settled (rule 4.7).
  ///
  /// ```swift
  /// let user = try await promise.value
  /// ```
  ///
  /// - If the promise is settled, its outcome comes at once and without suspending, in a cancelled Task too.
  /// - If the Task is cancelled while it waits, or was before, this throws `CancellationError` at once and leaves: the promise stays as
  ///   it is, so that a shared or cached promise survives an impatient reader, and keeps nothing of this one. To stop the work as well,
  ///   wait with ``value(cancelsSource:)``.
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
      if !cell.isDone { try await settled(givingUp: false) }
      return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
    }
  }

  /// The value, or the error as a throw; a cancelled Task gives the promise up (rule 4.7).
  ///
  /// ```swift
  /// let page = try await server.load(url).value(cancelsSource: true)
  /// ```
  ///
  /// As ``value``, for a promise that was made for this Task alone, or that others may have but need not keep going: if the Task is
  /// cancelled while it waits, or was before, this throws `CancellationError` and the promise is cancelled, with what it waits for in
  /// turn, unless it has another consumer (rule 4.4). The Task does that itself, as soon as it is resumed.
  ///
  /// - Parameter cancelsSource: whether to give the promise up; `false`: as ``value``.
  /// - Complexity: O(1): one link. A cancelled wait as ``AnyPromise/cancel(reason:upstream:)``.
  @inlinable
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    if !cell.isDone { try await settled(givingUp: cancelsSource) }
    return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
  }
}

extension AnyPromise {
  /// Returns as soon as this promise is settled, or throws as soon as the Task is cancelled.
  ///
  /// - Parameter givesUp: a cancelled Task gives the promise up; else it leaves.
  @usableFromInline
  nonisolated(nonsending) final func settled(givingUp givesUp: Bool) async throws(CancellationError) {
    let promise = resolved
    if promise.cell.isDone { return }
    let waiter = Waiter(givingUp: givesUp)
    // The waiter does not keep the promise.
    defer { withExtendedLifetime(promise) {} }
    await withTaskCancellationHandler {
      await unsafe withUnsafeContinuation { unsafe waiter.wait(for: promise, resuming: $0) }
    } onCancel: {
      waiter.cancel()
    }
    guard waiter.isCalledOff else { return }
    let error = CancellationError()
    waiter.leave(promise, because: error)
    throw error
  }
}
