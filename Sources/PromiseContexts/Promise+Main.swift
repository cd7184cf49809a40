public import PromiseCore

// The links and observers on the main actor: their closures are `@MainActor`. What each does is said at the declaration in
// PromiseCore that takes an ``ExecutionContext``.

extension Promise {
  @inlinable
  public func map<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> U
  ) -> Promise<U> {
    map(on: MainContext.queue, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }

  @inlinable
  public func then<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: MainContext.queue, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }

  @inlinable
  public func map<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    fulfilled: @escaping @MainActor (Value) throws -> U,
    rejected: @escaping @MainActor (any Error) throws -> U
  ) -> Promise<U> {
    map(
      on: MainContext.queue, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try MainActor.assumeIsolated { try fulfilled(value) } },
      rejected: { error in try MainActor.assumeIsolated { try rejected(error) } }
    )
  }

  @inlinable
  public func then<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    fulfilled: @escaping @MainActor (Value) throws -> Promise<U>,
    rejected: @escaping @MainActor (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(
      on: MainContext.queue, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try MainActor.assumeIsolated { try fulfilled(value) } },
      rejected: { error in try MainActor.assumeIsolated { try rejected(error) } }
    )
  }

  @inlinable @discardableResult
  public func tap(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) throws -> Void
  ) -> Promise {
    tap(on: MainContext.queue, fileID: fileID, line: line) { value in try MainActor.assumeIsolated { try body(value) } }
  }

  @inlinable @discardableResult
  public func always(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: MainContext.queue, fileID: fileID, line: line) { result in MainActor.assumeIsolated { body(result) } }
  }

  @inlinable
  public func validate(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @MainActor (Value) throws -> Bool
  ) -> Promise {
    validate(on: MainContext.queue, fileID: fileID, line: line) { value in
      try MainActor.assumeIsolated { try predicate(value) }
    }
  }

  @inlinable
  public func compactMap<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: MainContext.queue, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }

  @inlinable
  public func recover(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Value
  ) -> Promise {
    recover(on: MainContext.queue, fileID: fileID, line: line) { error in
      try MainActor.assumeIsolated { try transform(error) }
    }
  }

  @inlinable
  public func recover<E: Error>(
    from type: E.Type, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> Value
  ) -> Promise {
    recover(from: type, on: MainContext.queue, fileID: fileID, line: line) { error in
      try MainActor.assumeIsolated { try transform(error) }
    }
  }

  @inlinable
  public func rescue(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Promise
  ) -> Promise {
    rescue(on: MainContext.queue, fileID: fileID, line: line) { error in
      try MainActor.assumeIsolated { try transform(error) }
    }
  }

  @inlinable @discardableResult
  public func `catch`(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (any Error) -> Void
  ) -> Promise {
    `catch`(on: MainContext.queue, fileID: fileID, line: line) { error in MainActor.assumeIsolated { body(error) } }
  }

  @inlinable @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (E) -> Void
  ) -> Promise {
    `catch`(only: type, on: MainContext.queue, fileID: fileID, line: line) { error in
      MainActor.assumeIsolated { body(error) }
    }
  }

  @inlinable
  public func mapError(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> any Error
  ) -> Promise {
    mapError(on: MainContext.queue, fileID: fileID, line: line) { error in
      try MainActor.assumeIsolated { try transform(error) }
    }
  }

  @inlinable @discardableResult
  public func onFulfilled(on context: MainContext, _ body: @escaping @MainActor (Value) -> Void) -> Promise {
    onFulfilled(on: MainContext.queue) { value in MainActor.assumeIsolated { body(value) } }
  }

  @inlinable @discardableResult
  public func onRejected(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> Promise {
    onRejected(on: MainContext.queue) { error in MainActor.assumeIsolated { body(error) } }
  }

  @inlinable @discardableResult
  public func onSettled(on context: MainContext, _ body: @escaping @MainActor (Result<Value, any Error>) -> Void)
    -> Promise
  {
    onSettled(on: MainContext.queue) { result in MainActor.assumeIsolated { body(result) } }
  }

  @inlinable @discardableResult
  public func onProgress(on context: MainContext, _ body: @escaping @MainActor (Double) -> Void) -> Promise {
    onProgress(on: MainContext.queue) { progress in MainActor.assumeIsolated { body(progress) } }
  }
}
