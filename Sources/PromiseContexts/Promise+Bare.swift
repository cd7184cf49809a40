public import PromiseCore

// The links and observers without a context: they run on ``ExecutionContext/pool``. What each does is said at the
// declaration in PromiseCore that has `on:`.

extension Promise {
  @inlinable
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U
  ) -> Promise<U> {
    map(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  @inlinable
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  @inlinable
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> U,
    rejected: @escaping @Sendable (any Error) throws -> U
  ) -> Promise<U> {
    map(
      on: .pool, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: fulfilled,
      rejected: rejected
    )
  }

  @inlinable
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(
      on: .pool, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: fulfilled,
      rejected: rejected
    )
  }

  @inlinable @discardableResult
  public func tap(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise {
    tap(on: .pool, fileID: fileID, line: line, body)
  }

  @inlinable @discardableResult
  public func always(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .pool, fileID: fileID, line: line, body)
  }

  @inlinable
  public func validate(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise {
    validate(on: .pool, fileID: fileID, line: line, predicate)
  }

  @inlinable
  public func compactMap<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: .pool, to: type, weight: weight, fileID: fileID, line: line, transform)
  }

  @inlinable
  public func recover(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    recover(on: .pool, fileID: fileID, line: line, transform)
  }

  @inlinable
  public func recover<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Value
  ) -> Promise {
    recover(from: type, on: .pool, fileID: fileID, line: line, transform)
  }

  @inlinable
  public func rescue(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    rescue(on: .pool, fileID: fileID, line: line, transform)
  }

  @inlinable @discardableResult
  public func `catch`(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    `catch`(on: .pool, fileID: fileID, line: line, body)
  }

  @inlinable @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    `catch`(only: type, on: .pool, fileID: fileID, line: line, body)
  }

  @inlinable
  public func mapError(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> any Error
  ) -> Promise {
    mapError(on: .pool, fileID: fileID, line: line, transform)
  }

  @inlinable @discardableResult
  public func onFulfilled(_ body: @escaping @Sendable (Value) -> Void) -> Promise {
    onFulfilled(on: .pool, body)
  }

  @inlinable @discardableResult
  public func onRejected(_ body: @escaping @Sendable (any Error) -> Void) -> Promise {
    onRejected(on: .pool, body)
  }

  @inlinable @discardableResult
  public func onSettled(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise {
    onSettled(on: .pool, body)
  }

  @inlinable @discardableResult
  public func onProgress(_ body: @escaping @Sendable (Double) -> Void) -> Promise {
    onProgress(on: .pool, body)
  }
}

extension Promise {
  /// A promise for what the closure, which runs on ``ExecutionContext/pool``, returns or throws.
  @inlinable
  public static func run(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Value
  ) -> Promise {
    run(on: .pool, fileID: fileID, line: line, body)
  }
}
