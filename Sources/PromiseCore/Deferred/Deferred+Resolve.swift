// `deferred.resolve` is passed as the completion handler of a function that takes a callback:
//
//     Promise<Data> { deferred in load(url, completion: deferred.resolve) }
//
// The type of the completion handler selects the overload. If the callback is given an error, the promise is rejected
// with it, even if there is also a value. If the callback is given neither, the promise is rejected with
// `PromiseError.emptyCallback`.
//
// If `Value` is itself an error type, the arguments of `resolve(a, b)` could be read as value and error or as error and
// value. The overloads with the error first are disfavoured, so that such a call is read as value and error (rule 1.4).
//
// All overloads are `@Sendable`, because in Swift 5 mode the compiler does not infer that for a method that is passed
// as a function.

extension Deferred {
  /// Fulfils the promise, as a callback of type `(Value) -> Void`.
  @_alwaysEmitIntoClient @Sendable
  public func resolve(_ value: Value) { fulfill(value) }

  /// Settles the promise, as a callback of type `(Value?, (any Error)?) -> Void`. An error takes precedence over a
  /// value. Without either, the promise is rejected with ``PromiseError/emptyCallback(createdAt:)``.
  @_alwaysEmitIntoClient @Sendable
  public func resolve(_ value: Value?, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else if let value { fulfill(value) } else { rejectAsEmpty() }
  }

  /// Settles the promise, as a callback of type `((any Error)?, Value?) -> Void`. If `Value` is an error type too,
  /// arguments that fit both orders are read as value and error.
  @_alwaysEmitIntoClient @_disfavoredOverload @Sendable
  public func resolve(_ error: (any Error)?, _ value: Value?) {
    if let error { reject(error, at: nil) } else if let value { fulfill(value) } else { rejectAsEmpty() }
  }

  /// Settles the promise, as a callback of type `(First?, Second?, (any Error)?) -> Void`, for example with data and
  /// response. Without an error, both values must be present, or else the promise is rejected with
  /// ``PromiseError/emptyCallback(createdAt:)``.
  @_alwaysEmitIntoClient @Sendable
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

  /// Settles the promise, as a callback of type `(Result<Value, Failure>) -> Void`.
  @_alwaysEmitIntoClient @Sendable
  public func resolve<Failure>(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error, at: nil)
    }
  }

  /// Settles a promise for an optional value. `nil` without an error fulfils the promise with `nil`.
  @_alwaysEmitIntoClient @Sendable
  public func resolve(_ value: Value, _ error: (any Error)?) where Value: ExpressibleByNilLiteral {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }

  /// Settles a promise for an optional value, as a callback with the error first. If the value is an error too,
  /// arguments that fit both orders are read as value and error.
  @_alwaysEmitIntoClient @_disfavoredOverload @Sendable
  public func resolve(_ error: (any Error)?, _ value: Value) where Value: ExpressibleByNilLiteral {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }

  @usableFromInline
  func rejectAsEmpty() {
    reject(PromiseError.emptyCallback(createdAt: CreationSite(source.site)), at: nil)
  }
}

extension Deferred where Value == Void {
  /// Fulfils the promise, as a callback of type `() -> Void`.
  @_alwaysEmitIntoClient @Sendable
  public func resolve() { fulfill(()) }

  /// Settles the promise, as a callback of type `((any Error)?) -> Void`. Without an error, the promise is fulfilled.
  @_alwaysEmitIntoClient @Sendable
  public func resolve(_ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(()) }
  }
}

extension Deferred where Value == Bool {
  /// Settles the promise, as a callback of type `(Bool, (any Error)?) -> Void`.
  @_alwaysEmitIntoClient @Sendable
  public func resolve(_ value: Bool, _ error: (any Error)?) {
    if let error { reject(error, at: nil) } else { fulfill(value) }
  }
}
