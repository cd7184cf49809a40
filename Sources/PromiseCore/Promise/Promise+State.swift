extension Promise {
  /// Where a promise stands.
  public enum State: Sendable {
    case pending
    case fulfilled(Value)
    case rejected(any Error)
  }

  /// Where the promise stands at this moment (rule 1.1).
  public var state: State {
    switch result {
    case nil: .pending
    case .success(let value): .fulfilled(value)
    case .failure(let error): .rejected(error)
    }
  }

  /// The outcome, or `nil` as long as the promise is pending.
  public var result: Result<Value, any Error>? {
    // Safe: a dissolved promise forwards to one of its own type.
    let promise = unsafe unsafeDowncast(resolved, to: Promise<Value>.self)
    return promise.cell.isDone ? promise.outcome : nil
  }

  /// The payload. The caller knows that the promise is done.
  @inlinable var outcome: Result<Value, any Error> {
    if let error { return .failure(error) }
    return .success(fulfilledValue)
  }
}
