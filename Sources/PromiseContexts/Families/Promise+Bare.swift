// Written by .ci/generate-families from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension Promise {
  /// Derives a promise that has a value even if this one is rejected: the one that the closure makes of the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @inlinable
  public func recover(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    recover(on: .pool, fileID: fileID, line: line, transform)
  }

  /// As ``/PromiseCore/Promise/recover(on:fileID:line:_:)``, for errors of one type; others pass.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @inlinable
  public func recover<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Value
  ) -> Promise {
    recover(from: type, on: .pool, fileID: fileID, line: line, transform)
  }

  /// Derives a promise that, if this one is rejected, becomes what the promise returned by the closure becomes.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @inlinable
  public func rescue(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    rescue(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Derives a promise with the same outcome, once the closure has seen the error.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @inlinable @discardableResult
  public func `catch`(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    `catch`(on: .pool, fileID: fileID, line: line, body)
  }

  /// As ``/PromiseCore/Promise/catch(on:fileID:line:_:)``, for errors of one type; others pass unseen.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/catch(only:on:fileID:line:_:)``.
  @inlinable @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    `catch`(only: type, on: .pool, fileID: fileID, line: line, body)
  }

  /// Derives a promise that, if this one is rejected, is rejected with what the closure makes of the error, or throws.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @inlinable
  public func mapError(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (any Error) throws -> any Error
  ) -> Promise {
    mapError(on: .pool, fileID: fileID, line: line, transform)
  }

  /// Derives a promise for what the closure makes of the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @inlinable
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    map(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  /// Derives a promise that becomes what the promise returned by the closure becomes.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @inlinable
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  /// Derives a promise for what one of two closures makes of the outcome; both on the same context.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @inlinable
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> U, rejected: @escaping @Sendable (any Error) throws -> U
  ) -> Promise<U> {
    map(on: .pool, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected)
  }

  /// Derives a promise that becomes what the promise returned by one of two closures becomes.
  ///
  /// Runs on ``ExecutionContext/pool``. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @inlinable
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: .pool, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected)
  }

  /// Derives a promise with the same outcome, once the closure has seen the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @inlinable @discardableResult
  public func tap(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise {
    tap(on: .pool, fileID: fileID, line: line, body)
  }

  /// Derives a promise with the same outcome, once the closure has seen that there is one.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @inlinable @discardableResult
  public func always(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .pool, fileID: fileID, line: line, body)
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @inlinable
  public func validate(
    message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise {
    validate(on: .pool, message: message, error: error, fileID: fileID, line: line, predicate)
  }

  /// Derives a promise for what the closure makes of the value, and rejects with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` where that is nothing. Errors pass; a throw rejects.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @inlinable
  public func compactMap<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  /// Shows the value to the closure. Does nothing if the promise is rejected.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @inlinable @discardableResult
  public func onFulfilled(_ body: @escaping @Sendable (Value) -> Void) -> Promise {
    onFulfilled(on: .pool, body)
  }

  /// Shows the error to the closure. Does nothing if the promise is fulfilled.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @inlinable @discardableResult
  public func onRejected(_ body: @escaping @Sendable (any Error) -> Void) -> Promise {
    onRejected(on: .pool, body)
  }

  /// Shows the outcome to the closure.
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @inlinable @discardableResult
  public func onSettled(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise {
    onSettled(on: .pool, body)
  }

  /// A promise for what the closure, which runs on the context, returns or throws (reference rows B7 and B8).
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/run(on:fileID:line:_:)``.
  @inlinable
  public static func run(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Value
  ) -> Promise {
    run(on: .pool, fileID: fileID, line: line, body)
  }

  /// Shows the progress to the closure, whenever it has grown (rules 5.1 to 5.5; reference rows J1 to J4).
  ///
  /// Runs on ``ExecutionContext/pool``. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @inlinable @discardableResult
  public func onProgress(_ body: @escaping @Sendable (Double) -> Void) -> Promise {
    onProgress(on: .pool, body)
  }
}
