// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension Promise {
  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    recover(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Value
  ) -> Promise {
    recover(from: type, on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/recoverFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    recoverFailure(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    rescue(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/rescue(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Promise
  ) -> Promise {
    rescue(from: type, on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/rescueFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    rescueFailure(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    `catch`(on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    `catch`(only: type, where: predicate, on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catchThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) throws -> AnyPromise
  ) -> Promise {
    catchThen(on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catchFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    catchFailure(on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catchFailure(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    catchFailure(only: type, where: predicate, on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/markCancelled(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func markCancelled(
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (any Error) -> Bool
  ) -> Promise {
    markCancelled(on: .pool, fileID: fileID, line: line, predicate)
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> any Error
  ) -> Promise {
    mapError(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/mapError(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> any Error
  ) -> Promise {
    mapError(from: type, on: .pool, fileID: fileID, line: line, transform)
  }

  /// Returns a promise for the transformed value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: consuming @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    map(on: .pool, to: type, weight: weight, fileID: fileID, line: line, consume transform)
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: consuming @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: .pool, to: type, weight: weight, fileID: fileID, line: line, consume transform)
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> U, rejected: @escaping @Sendable (any Error) throws -> U
  ) -> Promise<U> {
    map(on: .pool, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected)
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// Runs on ``ExecutionContext/pool``. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: .pool, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tap(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise {
    tap(on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/tapThen(on:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen(
    weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Value) throws -> AnyPromise
  ) -> Promise {
    tapThen(on: .pool, weight: weight, fileID: fileID, line: line, consume body)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func always(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .pool, fileID: fileID, line: line, consume body)
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/alwaysThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<Cleanup: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable (Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> Promise {
    alwaysThen(on: .pool, fileID: fileID, line: line, consume body)
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func validate(
    message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise {
    validate(on: .pool, message: message, error: error, fileID: fileID, line: line, predicate)
  }

  /// Returns a promise for the transformed value, which is rejected with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` if the closure returns `nil`.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(_ body: consuming @escaping @Sendable (Value) -> Void) -> Promise {
    onFulfilled(on: .pool, consume body)
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(_ body: @escaping @Sendable (any Error) -> Void) -> Promise {
    onRejected(on: .pool, body)
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onRejected(only:where:on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    onRejected(only: type, where: predicate, on: .pool, body)
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(_ body: @escaping @Sendable (any Error) -> Void) -> Promise {
    onFailed(on: .pool, body)
  }

  /// Calls the closure with the outcome.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(_ body: consuming @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise {
    onSettled(on: .pool, consume body)
  }

  /// Returns a promise for the value that the closure returns or the error that it throws. The closure runs on the
  /// context.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/run(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public static func run(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Value
  ) -> Promise {
    run(on: .pool, fileID: fileID, line: line, body)
  }

  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(_ body: @escaping @Sendable (Double) -> Void) -> Promise {
    onProgress(on: .pool, body)
  }
}
