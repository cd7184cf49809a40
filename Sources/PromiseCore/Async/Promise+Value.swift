extension Promise {
  /// The value of the promise. Suspends until the promise is settled, and throws its error if it is rejected (rule
  /// 4.7).
  ///
  /// ```swift
  /// let user = try await promise.value
  /// ```
  ///
  /// - If the promise is settled, its outcome is returned at once, without suspending, even if the Task is cancelled.
  /// - If the Task is cancelled, before or while it waits, this throws `CancellationError` at once. The Task leaves the
  ///   promise, which stays as it is and retains nothing of the Task. So a shared or cached promise survives a reader
  ///   that gives up. To stop the work as well, use ``value(cancelsSource:)``.
  /// - If the promise is rejected, its error is thrown, which marks the rejection as handled (rule 7.1). A cancelled
  ///   promise throws its reason, which is a `CancellationError` unless another was given.
  ///
  /// Any number of Tasks may wait, on any actor. Each resumes on its own executor. The call that settles the promise
  /// runs none of their code.
  ///
  /// - Complexity: O(1): one link. O(1), amortised, for a wait that is cancelled.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var value: Value {
    get async throws {
      if !acquiredState.isDone { try await settled(givingUp: false) }
      return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
    }
  }

  /// Returns the value of the promise, or throws its error. A cancelled Task can give the promise up (rule 4.7).
  ///
  /// ```swift
  /// let page = try await server.load(url).value(cancelsSource: true)
  /// ```
  ///
  /// Works like ``value``, with one difference. If the Task is cancelled, before or while it waits, this throws
  /// `CancellationError` and gives the promise up. The promise is then cancelled, with what it waits for in turn,
  /// unless it has another consumer (rule 4.4). The Task does this itself, as soon as it is resumed. Use it for a
  /// promise that was made for this Task alone, or that other clients may have but need not keep going.
  ///
  /// - Parameter cancelsSource: whether a cancelled Task gives the promise up. With `false`, this is ``value``.
  /// - Complexity: O(1): one link. A wait that is cancelled costs what ``AnyPromise/cancel(reason:upstream:)`` does.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    if !acquiredState.isDone { try await settled(givingUp: cancelsSource) }
    return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
  }
}

extension AnyPromise {
  /// Returns as soon as this promise is settled, or throws as soon as the Task is cancelled.
  ///
  /// - Parameter givesUp: whether a cancelled Task gives the promise up. Otherwise it leaves.
  @usableFromInline
  nonisolated(nonsending) final func settled(givingUp givesUp: Bool) async throws(CancellationError) {
    let promise = resolved
    if promise.acquiredState.isDone { return }
    let waiter = Waiter(for: promise, givingUp: givesUp)
    await withTaskCancellationHandler {
      await unsafe withUnsafeContinuation { unsafe waiter.wait(resuming: $0) }
    } onCancel: {
      waiter.taskWasCancelled()
    }
    let error = CancellationError()
    if waiter.leaveOrGiveUp(because: error) { throw error }
  }
}
