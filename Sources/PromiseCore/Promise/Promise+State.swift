extension AnyPromise {
  /// Whether the promise is neither fulfilled nor rejected yet.
  public final var isPending: Bool { !resolvedState.isDone }

  /// Whether the promise has a value.
  public final var isFulfilled: Bool {
    let state = resolvedState
    return state.isDone && !state.isRejected
  }

  /// Whether the promise has an error.
  public final var isRejected: Bool {
    let state = resolvedState
    return state.isDone && state.isRejected
  }

  /// Whether the promise is rejected with the cancelled mark (rule 1.2).
  public final var isCancelled: Bool {
    let state = resolvedState
    return state.isDone && state.isCancelled
  }

  /// The promise from which this promise was derived by a link, while this promise waits for it or runs its handler
  /// (rule 6.3).
  ///
  /// `nil` for a promise that its owner settles, for a promise whose handler has returned a promise, and for a settled
  /// promise.
  ///
  /// - Complexity: O(1).
  public final var parent: AnyPromise? {
    let child = resolved
    let state = child.lock()
    let isShown = state.isEntry && state.isPending && state.stage != .adopting && !child.traits.contains(.hidesSource)
    let source = isShown ? unsafe child.link.pointee.source?.strong : nil
    child.unlock(state)
    return source?.forClients
  }

  /// The furthest ancestor that can be reached through ``parent``. A promise without a parent is its own root.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending ancestors.
  public final var root: AnyPromise {
    var promise = self
    while let parent = promise.parent { promise = parent }
    return promise
  }
}

extension Promise {
  /// The state of a promise.
  public enum State: Sendable {
    /// The promise is not settled yet.
    case pending
    /// The promise is settled with this value.
    case fulfilled(Value)
    /// The promise is settled with this error. ``AnyPromise/isCancelled`` tells whether it was cancelled.
    case rejected(any Error)
  }

  /// The error of a rejected promise. `nil` if the promise is pending or fulfilled.
  ///
  /// Reading an error here counts as handling the rejection (rule 7.1).
  public var error: (any Error)? {
    let promise = resolved
    return promise.acquiredState.isDone ? promise.errorMarkingHandled : nil
  }

  /// The state of the promise at this moment (rule 1.1). Reading an error here counts as handling the rejection (rule
  /// 7.1).
  public var state: State {
    switch result {
    case nil: .pending
    case .success(let value): .fulfilled(value)
    case .failure(let error): .rejected(error)
    }
  }

  /// The outcome of a settled promise, or `nil` if the promise is pending. Reading an error here counts as handling the
  /// rejection (rule 7.1).
  public var result: Result<Value, any Error>? {
    // Safe, because a collapsed promise forwards to a promise of its own type.
    let promise = unsafe unsafeDowncast(resolved, to: Promise<Value>.self)
    return promise.acquiredState.isDone ? promise.outcomeMarkingHandled : nil
  }

  /// The payload. The caller knows that the promise is done.
  @_alwaysEmitIntoClient var outcome: Result<Value, any Error> {
    if let error = storedError { return .failure(error) }
    return .success(Self.value(of: self))
  }

  /// The payload, for a reader that handles the rejection (rule 7.1). The caller knows that the promise is done.
  @_alwaysEmitIntoClient var outcomeMarkingHandled: Result<Value, any Error> {
    if let error = errorMarkingHandled { return .failure(error) }
    return .success(Self.value(of: self))
  }
}

extension Promise.State {
  /// The value of a fulfilled promise, otherwise `nil`.
  public var value: Value? { if case .fulfilled(let value) = self { value } else { nil } }

  /// The error of a rejected promise, otherwise `nil`.
  public var error: (any Error)? { if case .rejected(let error) = self { error } else { nil } }

  /// Whether the promise is not settled yet.
  public var isPending: Bool { if case .pending = self { true } else { false } }

  /// Whether the promise has a value.
  public var isFulfilled: Bool { if case .fulfilled = self { true } else { false } }

  /// Whether the promise has an error.
  public var isRejected: Bool { if case .rejected = self { true } else { false } }
}
