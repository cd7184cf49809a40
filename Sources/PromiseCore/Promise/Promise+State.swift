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
    if let error { return .failure(error) }
    return .success(fulfilledValue)
  }

  /// The payload, for somebody who looks at it (rule 7.1). The caller knows that the promise is done.
  @inlinable var outcomeMarkingHandled: Result<Value, any Error> {
    if let error = errorMarkingHandled { return .failure(error) }
    return .success(fulfilledValue)
  }
}
