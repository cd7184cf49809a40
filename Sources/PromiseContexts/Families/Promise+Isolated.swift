// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension Promise {
  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Value
  ) -> Promise {
    recover(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<A: Actor, E: Error>(
    from type: E.Type, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> Value
  ) -> Promise {
    recover(from: type, on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recoverFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Value
  ) -> Promise {
    recoverFailure(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Promise
  ) -> Promise {
    rescue(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescue(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<A: Actor, E: Error>(
    from type: E.Type, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> Promise
  ) -> Promise {
    rescue(from: type, on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescueFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Promise
  ) -> Promise {
    rescueFailure(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> Promise {
    `catch`(on: ActorContext(actor), fileID: fileID, line: line) { error in actor.assumeIsolated { body($0, error) } }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<A: Actor, E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> Promise {
    `catch`(only: type, where: predicate, on: ActorContext(actor), fileID: fileID, line: line) { error in
      actor.assumeIsolated { body($0, error) }
    }
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, any Error) throws -> AnyPromise
  ) -> Promise {
    catchThen(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try body($0, error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> Promise {
    catchFailure(on: ActorContext(actor), fileID: fileID, line: line) { error in
      actor.assumeIsolated { body($0, error) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<A: Actor, E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> Promise {
    catchFailure(only: type, where: predicate, on: ActorContext(actor), fileID: fileID, line: line) { error in
      actor.assumeIsolated { body($0, error) }
    }
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/markCancelled(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func markCancelled<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (isolated A, any Error) -> Bool
  ) -> Promise {
    markCancelled(on: ActorContext(actor), fileID: fileID, line: line) { error in
      actor.assumeIsolated { predicate($0, error) }
    }
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> any Error
  ) -> Promise {
    mapError(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/mapError(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<A: Actor, E: Error>(
    from type: E.Type, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> any Error
  ) -> Promise {
    mapError(from: type, on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  /// Returns a promise for the transformed value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func map<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (isolated A, Value) throws -> U
  ) -> Promise<U> {
    map(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func then<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (isolated A, Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func map<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, fulfilled: @escaping @Sendable (isolated A, Value) throws -> U,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> U
  ) -> Promise<U> {
    map(
      on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try actor.assumeIsolated { try fulfilled($0, value) } },
      rejected: { error in try actor.assumeIsolated { try rejected($0, error) } })
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, fulfilled: @escaping @Sendable (isolated A, Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(
      on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try actor.assumeIsolated { try fulfilled($0, value) } },
      rejected: { error in try actor.assumeIsolated { try rejected($0, error) } })
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tap<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Value) throws -> Void
  ) -> Promise {
    tap(on: ActorContext(actor), fileID: fileID, line: line) { value in try actor.assumeIsolated { try body($0, value) }
    }
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/tapThen(on:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen<A: Actor>(
    isolatedTo actor: A, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Value) throws -> AnyPromise
  ) -> Promise {
    tapThen(on: ActorContext(actor), weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try body($0, value) }
    }
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func always<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: ActorContext(actor), fileID: fileID, line: line) { result in actor.assumeIsolated { body($0, result) } }
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/alwaysThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<A: Actor, Cleanup: Sendable>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> Promise {
    alwaysThen(on: ActorContext(actor), fileID: fileID, line: line) { result in
      try actor.assumeIsolated { try body($0, result) }
    }
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func validate<A: Actor>(
    isolatedTo actor: A, message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping @Sendable (isolated A, Value) throws -> Bool
  ) -> Promise {
    validate(on: ActorContext(actor), message: message, error: error, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try predicate($0, value) }
    }
  }

  /// Returns a promise for the transformed value, which is rejected with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` if the closure returns `nil`.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (isolated A, Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Value) -> Void)
    -> Promise
  {
    onFulfilled(on: ActorContext(actor)) { value in actor.assumeIsolated { body($0, value) } }
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void)
    -> Promise
  {
    onRejected(on: ActorContext(actor)) { error in actor.assumeIsolated { body($0, error) } }
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(only:where:on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<A: Actor, E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, isolatedTo actor: A,
    _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> Promise {
    onRejected(only: type, where: predicate, on: ActorContext(actor)) { error in
      actor.assumeIsolated { body($0, error) }
    }
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void)
    -> Promise
  {
    onFailed(on: ActorContext(actor)) { error in actor.assumeIsolated { body($0, error) } }
  }

  /// Calls the closure with the outcome.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> Promise {
    onSettled(on: ActorContext(actor)) { result in actor.assumeIsolated { body($0, result) } }
  }

  /// Creates a promise and passes its owner to the closure, which runs on a context.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/init(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public convenience init<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Deferred<Value>) throws -> Void
  ) {
    self.init(on: ActorContext(actor), fileID: fileID, line: line) { deferred in
      try actor.assumeIsolated { try body($0, deferred) }
    }
  }

  /// Returns a promise for the value that the closure returns or the error that it throws. The closure runs on the
  /// context.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/run(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public static func run<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Value
  ) -> Promise {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }

  /// Returns a promise for the value that an async closure makes of this promise's value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncMap(priority:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncMap<A: Actor, U: Sendable>(
    isolatedTo actor: A, priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) async throws -> U
  ) -> Promise<U> {
    asyncMap(
      priority: priority, to: type, weight: weight, fileID: fileID, line: line,
      ActorContext.unlessSettled(actor, transform))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that sees the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncTap(priority:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncTap<A: Actor>(
    isolatedTo actor: A, priority: TaskPriority? = nil, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (isolated A, Value) async throws -> Void
  ) -> Promise {
    asyncTap(priority: priority, weight: weight, fileID: fileID, line: line, ActorContext.unlessSettled(actor, body))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that cleans up.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncAlways(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncAlways<A: Actor>(
    isolatedTo actor: A, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) async throws -> Void
  ) -> Promise {
    asyncAlways(priority: priority, fileID: fileID, line: line) { result in try await body(actor, result) }
  }

  /// Returns a promise that replaces an error with the value that an async closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<A: Actor>(
    isolatedTo actor: A, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) async throws -> Value
  ) -> Promise {
    asyncRecover(priority: priority, fileID: fileID, line: line, ActorContext.unlessSettled(actor, transform))
  }

  /// Returns a promise that replaces an error of the given type with the value that an async closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(from:priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<A: Actor, E: Error>(
    from type: E.Type, isolatedTo actor: A, priority: TaskPriority? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (isolated A, E) async throws -> Value
  ) -> Promise {
    asyncRecover(
      from: type, priority: priority, fileID: fileID, line: line, ActorContext.unlessSettled(actor, transform))
  }

  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Double) -> Void)
    -> Promise
  {
    onProgress(on: ActorContext(actor)) { fraction in actor.assumeIsolated { body($0, fraction) } }
  }
}
