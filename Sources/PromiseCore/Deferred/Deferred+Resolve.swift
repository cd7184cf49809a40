// Callbacks become promises by handing `deferred.resolve` to whoever takes a completion handler:
//
//     Promise<Data> { deferred in load(url, completion: deferred.resolve) }
//
// The type of the completion handler chooses among these. An error always wins over a value; neither a value nor an error
// rejects with `PromiseError.emptyCallback` (reference rows L5 and L6).

extension Deferred {
  /// For `(Value) -> Void`.
  @inlinable
  public func resolve(_ value: Value) { fulfill(value) }

  /// For `(Value?, (any Error)?) -> Void`.
  @inlinable
  public func resolve(_ value: Value?, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else if let value { fulfill(value) } else { rejectAsEmpty() }
  }

  /// For `((any Error)?, Value?) -> Void`.
  @inlinable
  public func resolve(_ error: (any Error)?, _ value: Value?) { resolve(value, error) }

  /// For `(First?, Second?, (any Error)?) -> Void`, such as data and response. Both values must be there.
  @inlinable
  public func resolve<First, Second>(_ first: First?, _ second: Second?, _ error: (any Error)?)
  where Value == (First, Second) {
    if let error {
      reject(error, at: nil)
    } else if let first, let second {
      fulfill((first, second))
    } else {
      rejectAsEmpty()
    }
  }

  /// For `(Result<Value, Failure>) -> Void`.
  @inlinable
  public func resolve<Failure>(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error, at: nil)
    }
  }

  /// For a value that may be absent: `nil` without an error is a value then.
  @inlinable
  public func resolve<Wrapped>(_ value: Wrapped?, _ error: (any Error)?) where Value == Wrapped? {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }

  /// For a value that may be absent, with the error first.
  @inlinable
  public func resolve<Wrapped>(_ error: (any Error)?, _ value: Wrapped?) where Value == Wrapped? {
    resolve(value, error)
  }

  @usableFromInline
  func rejectAsEmpty() {
    reject(PromiseError.emptyCallback(createdAt: CreationSite(source.site)), at: nil)
  }
}

extension Deferred where Value == Void {
  /// For `() -> Void`.
  @inlinable
  public func resolve() { fulfill(()) }

  /// For `((any Error)?) -> Void`: no error means success.
  @inlinable
  public func resolve(_ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(()) }
  }
}

extension Deferred where Value == Bool {
  /// For `(Bool, (any Error)?) -> Void`.
  @inlinable
  public func resolve(_ value: Bool, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }
}
