extension Promise {
  /// Where a promise stands.
  public enum State: Sendable {
    /// Not settled yet.
    case pending
    /// Settled, with this value.
    case fulfilled(Value)
    /// Settled, with this error; cancelled, if it says so: see ``AnyPromise/isCancelled``.
    case rejected(any Error)
  }

  /// The error with which the promise was rejected. `nil` if the promise is pending or fulfilled.
  ///
  /// Reading an error here counts as handling the rejection (rule 7.1).
  public var error: (any Error)? {
    let promise = resolved
    return promise.cell.isDone ? promise.errorMarkingHandled : nil
  }

  /// Where the promise stands at this moment (rule 1.1). To see an error here counts as looking at it (rule 7.1).
  public var state: State {
    switch result {
    case nil: .pending
    case .success(let value): .fulfilled(value)
    case .failure(let error): .rejected(error)
    }
  }

  /// The outcome, or `nil` as long as the promise is pending. To see an error here counts as looking at it (rule 7.1).
  public var result: Result<Value, any Error>? {
    // Safe: a collapsed promise forwards to one of its own type.
    let promise = unsafe unsafeDowncast(resolved, to: Promise<Value>.self)
    return promise.cell.isDone ? promise.outcomeMarkingHandled : nil
  }

  /// The payload. The caller knows that the promise is done.
  @inlinable var outcome: Result<Value, any Error> {
    if let error = storedError { return .failure(error) }
    return .success(Self.value(of: self))
  }

  /// The payload, for somebody who looks at it (rule 7.1). The caller knows that the promise is done.
  @inlinable var outcomeMarkingHandled: Result<Value, any Error> {
    if let error = errorMarkingHandled { return .failure(error) }
    return .success(Self.value(of: self))
  }
}

extension Promise.State {
  /// The value of a fulfilled promise, otherwise `nil`.
  public var value: Value? { if case .fulfilled(let value) = self { value } else { nil } }

  /// The error of a rejected promise, otherwise `nil`.
  public var error: (any Error)? { if case .rejected(let error) = self { error } else { nil } }

  /// The promise was not settled.
  public var isPending: Bool { if case .pending = self { true } else { false } }

  /// The promise had a value.
  public var isFulfilled: Bool { if case .fulfilled = self { true } else { false } }

  /// The promise had an error.
  public var isRejected: Bool { if case .rejected = self { true } else { false } }
}
