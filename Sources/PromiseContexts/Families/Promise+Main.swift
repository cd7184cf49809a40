// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension Promise {
  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Value
  ) -> Promise {
    recover(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<E: Error>(
    from type: E.Type, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> Value
  ) -> Promise {
    recover(from: type, on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recoverFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Value
  ) -> Promise {
    recoverFailure(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Promise
  ) -> Promise {
    rescue(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescue(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<E: Error>(
    from type: E.Type, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> Promise
  ) -> Promise {
    rescue(from: type, on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescueFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Promise
  ) -> Promise {
    rescueFailure(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (any Error) -> Void
  ) -> Promise {
    `catch`(on: MainContext.context, fileID: fileID, line: line) { error in MainContext.assumeIsolated { body(error) } }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (E) -> Void
  ) -> Promise {
    `catch`(only: type, where: predicate, on: MainContext.context, fileID: fileID, line: line) { error in
      MainContext.assumeIsolated { body(error) }
    }
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (any Error) throws -> AnyPromise
  ) -> Promise {
    catchThen(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try body(error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (any Error) -> Void
  ) -> Promise {
    catchFailure(on: MainContext.context, fileID: fileID, line: line) { error in
      MainContext.assumeIsolated { body(error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (E) -> Void
  ) -> Promise {
    catchFailure(only: type, where: predicate, on: MainContext.context, fileID: fileID, line: line) { error in
      MainContext.assumeIsolated { body(error) }
    }
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/markCancelled(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func markCancelled(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @MainActor (any Error) -> Bool
  ) -> Promise {
    markCancelled(on: MainContext.context, fileID: fileID, line: line) { error in
      MainContext.assumeIsolated { predicate(error) }
    }
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> any Error
  ) -> Promise {
    mapError(on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/mapError(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(
    from type: E.Type, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> any Error
  ) -> Promise {
    mapError(from: type, on: MainContext.context, fileID: fileID, line: line) { error in
      try MainContext.assumeIsolated { try transform(error) }
    }
  }

  /// Returns a promise for the transformed value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @MainActor (Value) throws -> U
  ) -> Promise<U> {
    map(on: MainContext.context, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try transform(value) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @MainActor (Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: MainContext.context, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try transform(value) }
    }
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, fulfilled: @escaping @MainActor (Value) throws -> U,
    rejected: @escaping @MainActor (any Error) throws -> U
  ) -> Promise<U> {
    map(
      on: MainContext.context, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try MainContext.assumeIsolated { try fulfilled(value) } },
      rejected: { error in try MainContext.assumeIsolated { try rejected(error) } })
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, fulfilled: @escaping @MainActor (Value) throws -> Promise<U>,
    rejected: @escaping @MainActor (any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(
      on: MainContext.context, to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try MainContext.assumeIsolated { try fulfilled(value) } },
      rejected: { error in try MainContext.assumeIsolated { try rejected(error) } })
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tap(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) throws -> Void
  ) -> Promise {
    tap(on: MainContext.context, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try body(value) }
    }
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/tapThen(on:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen(
    on context: MainContext, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) throws -> AnyPromise
  ) -> Promise {
    tapThen(on: MainContext.context, weight: weight, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try body(value) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func always(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: MainContext.context, fileID: fileID, line: line) { result in MainContext.assumeIsolated { body(result) }
    }
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/alwaysThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<Cleanup: Sendable>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> Promise {
    alwaysThen(on: MainContext.context, fileID: fileID, line: line) { result in
      try MainContext.assumeIsolated { try body(result) }
    }
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func validate(
    on context: MainContext, message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping @MainActor (Value) throws -> Bool
  ) -> Promise {
    validate(on: MainContext.context, message: message, error: error, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try predicate(value) }
    }
  }

  /// Returns a promise for the transformed value, which is rejected with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` if the closure returns `nil`.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<U: Sendable>(
    on context: MainContext, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @MainActor (Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: MainContext.context, to: type, weight: weight, fileID: fileID, line: line) { value in
      try MainContext.assumeIsolated { try transform(value) }
    }
  }

  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(on context: MainContext, _ body: @escaping @MainActor (Value) -> Void) -> Promise {
    onFulfilled(on: MainContext.context) { value in MainContext.assumeIsolated { body(value) } }
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> Promise {
    onRejected(on: MainContext.context) { error in MainContext.assumeIsolated { body(error) } }
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(only:where:on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: MainContext,
    _ body: @escaping @MainActor (E) -> Void
  ) -> Promise {
    onRejected(only: type, where: predicate, on: MainContext.context) { error in
      MainContext.assumeIsolated { body(error) }
    }
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> Promise {
    onFailed(on: MainContext.context) { error in MainContext.assumeIsolated { body(error) } }
  }

  /// Calls the closure with the outcome.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(on context: MainContext, _ body: @escaping @MainActor (Result<Value, any Error>) -> Void)
    -> Promise
  {
    onSettled(on: MainContext.context) { result in MainContext.assumeIsolated { body(result) } }
  }

  /// Creates a promise and passes its owner to the closure, which runs on a context.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/init(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public convenience init(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Deferred<Value>) throws -> Void
  ) {
    self.init(on: MainContext.context, fileID: fileID, line: line) { deferred in
      try MainContext.assumeIsolated { try body(deferred) }
    }
  }

  /// Returns a promise for the value that the closure returns or the error that it throws. The closure runs on the
  /// context.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/run(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public static func run(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Value
  ) -> Promise {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }

  /// Returns a promise for the value that an async closure makes of this promise's value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncMap(priority:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncMap<U: Sendable>(
    on context: MainContext, priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @MainActor (Value) async throws -> U
  ) -> Promise<U> {
    asyncMap(
      priority: priority, to: type, weight: weight, fileID: fileID, line: line, MainContext.unlessSettled(transform))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that sees the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncTap(priority:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncTap(
    on context: MainContext, priority: TaskPriority? = nil, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor (Value) async throws -> Void
  ) -> Promise {
    asyncTap(priority: priority, weight: weight, fileID: fileID, line: line, MainContext.unlessSettled(body))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that cleans up.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncAlways(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncAlways(
    on context: MainContext, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) async throws -> Void
  ) -> Promise {
    asyncAlways(priority: priority, fileID: fileID, line: line, body)
  }

  /// Returns a promise that replaces an error with the value that an async closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover(
    on context: MainContext, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) async throws -> Value
  ) -> Promise {
    asyncRecover(priority: priority, fileID: fileID, line: line, MainContext.unlessSettled(transform))
  }

  /// Returns a promise that replaces an error of the given type with the value that an async closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(from:priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<E: Error>(
    from type: E.Type, on context: MainContext, priority: TaskPriority? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @MainActor (E) async throws -> Value
  ) -> Promise {
    asyncRecover(from: type, priority: priority, fileID: fileID, line: line, MainContext.unlessSettled(transform))
  }

  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(on context: MainContext, _ body: @escaping @MainActor (Double) -> Void) -> Promise {
    onProgress(on: MainContext.context) { fraction in MainContext.assumeIsolated { body(fraction) } }
  }
}
