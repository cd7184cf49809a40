// Callbacks become promises by handing `deferred.resolve` to whoever takes a completion handler:
//
//     Promise<Data> { deferred in load(url, completion: deferred.resolve) }
//
// The type of the completion handler chooses among these. An error always wins over a value; neither a value nor an error
// rejects with `PromiseError.emptyCallback` (reference rows L5 and L6).
//
// Where the type of `Value` is itself an error, `resolve(a, b)` could mean the value or the error first. The overloads with the error first
// are disfavoured, so that a call means the value first wherever both readings exist (rule 1.4).
//
// All are `@Sendable`, because in Swift 5 mode the compiler does not infer that for a method that is passed as a function.

extension Deferred {
  /// For `(Value) -> Void`.
  @inlinable @Sendable
  public func resolve(_ value: Value) { fulfill(value) }

  /// For `(Value?, (any Error)?) -> Void`.
  @inlinable @Sendable
  public func resolve(_ value: Value?, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else if let value { fulfill(value) } else { rejectAsEmpty() }
  }

  /// For `((any Error)?, Value?) -> Void`. If `Value` is an error type too, arguments that fit both orders are read as value and error.
  @inlinable @_disfavoredOverload @Sendable
  public func resolve(_ error: (any Error)?, _ value: Value?) {
    if let error { reject(error, at: nil) } else if let value { fulfill(value) } else { rejectAsEmpty() }
  }

  /// For `(First?, Second?, (any Error)?) -> Void`, such as data and response. Both values must be there.
  @inlinable @Sendable
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
  @inlinable @Sendable
  public func resolve<Failure>(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error, at: nil)
    }
  }

  /// For a value that may be absent: `nil` without an error is a value then.
  @inlinable @Sendable
  public func resolve(_ value: Value, _ error: (any Error)?) where Value: ExpressibleByNilLiteral {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }

  /// For a value that may be absent, with the error first. If the value is an error too, arguments that fit both orders are read as value
  /// and error.
  @inlinable @_disfavoredOverload @Sendable
  public func resolve(_ error: (any Error)?, _ value: Value) where Value: ExpressibleByNilLiteral {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }

  @usableFromInline
  func rejectAsEmpty() {
    reject(PromiseError.emptyCallback(createdAt: CreationSite(source.site)), at: nil)
  }
}

extension Deferred where Value == Void {
  /// For `() -> Void`.
  @inlinable @Sendable
  public func resolve() { fulfill(()) }

  /// For `((any Error)?) -> Void`: no error means success.
  @inlinable @Sendable
  public func resolve(_ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(()) }
  }
}

extension Deferred where Value == Bool {
  /// For `(Bool, (any Error)?) -> Void`.
  @inlinable @Sendable
  public func resolve(_ value: Bool, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }
}
