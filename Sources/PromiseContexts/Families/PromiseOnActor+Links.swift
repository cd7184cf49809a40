// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension PromiseOnActor {
  /// Cancels this promise with `upstream: true` when the object is deallocated, if the promise is still pending then.
  /// If the object's bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/bound(to:)-(CancelBagOwner)``.
  @_alwaysEmitIntoClient @discardableResult
  public func bound(to object: some CancelBagOwner) -> PromiseOnActor {
    PromiseOnActor(promise.bound(to: object), isolatedTo: actor)
  }

  /// Cancels this promise with `upstream: true` when the bag is deallocated or told to cancel, if the promise is still
  /// pending then. If the bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/bound(to:)-(CancelBag)``.
  @_alwaysEmitIntoClient @discardableResult
  public func bound(to bag: CancelBag) -> PromiseOnActor {
    PromiseOnActor(promise.bound(to: bag), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome that clients may cancel without any effect on this promise (rule 4.10).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/shielded(fileID:line:)``.
  @_alwaysEmitIntoClient
  public func shielded(fileID: StaticString = #fileID, line: UInt = #line) -> PromiseOnActor {
    PromiseOnActor(promise.shielded(fileID: fileID, line: line), isolatedTo: actor)
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Value
  ) -> PromiseOnActor {
    PromiseOnActor(promise.recover(isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> Value
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.recover(from: type, isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/recoverFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Value
  ) -> PromiseOnActor {
    PromiseOnActor(promise.recoverFailure(isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Promise<Value>
  ) -> PromiseOnActor {
    PromiseOnActor(promise.rescue(isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescue(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> Promise<Value>
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.rescue(from: type, isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/rescueFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Promise<Value>
  ) -> PromiseOnActor {
    PromiseOnActor(promise.rescueFailure(isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(promise.`catch`(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.`catch`(only: type, where: predicate, isolatedTo: actor, fileID: fileID, line: line, body),
      isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, any Error) throws -> AnyPromise
  ) -> PromiseOnActor {
    PromiseOnActor(promise.catchThen(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(promise.catchFailure(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.catchFailure(only: type, where: predicate, isolatedTo: actor, fileID: fileID, line: line, body),
      isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/markCancelled(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func markCancelled(
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (isolated A, any Error) -> Bool
  ) -> PromiseOnActor {
    PromiseOnActor(promise.markCancelled(isolatedTo: actor, fileID: fileID, line: line, predicate), isolatedTo: actor)
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> any Error
  ) -> PromiseOnActor {
    PromiseOnActor(promise.mapError(isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/mapError(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> any Error
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.mapError(from: type, isolatedTo: actor, fileID: fileID, line: line, transform), isolatedTo: actor)
  }

  /// Returns a promise for the transformed value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> U
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.map(isolatedTo: actor, to: type, weight: weight, fileID: fileID, line: line, transform), isolatedTo: actor
    )
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> Promise<U>
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.then(isolatedTo: actor, to: type, weight: weight, fileID: fileID, line: line, transform),
      isolatedTo: actor)
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (isolated A, Value) throws -> U,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> U
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.map(
        isolatedTo: actor, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled,
        rejected: rejected), isolatedTo: actor)
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @Sendable (isolated A, Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> Promise<U>
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.then(
        isolatedTo: actor, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled,
        rejected: rejected), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tap(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A, Value) throws -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(promise.tap(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/tapThen(on:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen(
    weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Value) throws -> AnyPromise
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.tapThen(isolatedTo: actor, weight: weight, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func always(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(promise.always(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/alwaysThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<Cleanup: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> PromiseOnActor {
    PromiseOnActor(promise.alwaysThen(isolatedTo: actor, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func validate(
    message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (isolated A, Value) throws -> Bool
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.validate(isolatedTo: actor, message: message, error: error, fileID: fileID, line: line, predicate),
      isolatedTo: actor)
  }

  /// Returns a promise for the transformed value, which is rejected with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` if the closure returns `nil`.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> U?
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.compactMap(isolatedTo: actor, to: type, weight: weight, fileID: fileID, line: line, transform),
      isolatedTo: actor)
  }

  /// Returns a promise that is fulfilled with `()` when this promise is fulfilled. A rejection passes through. Runs no
  /// code of the client, and so needs no context.
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/asVoid(fileID:line:)``.
  @_alwaysEmitIntoClient
  public func asVoid(fileID: StaticString = #fileID, line: UInt = #line) -> PromiseOnActor<Void, A> {
    PromiseOnActor<Void, A>(promise.asVoid(fileID: fileID, line: line), isolatedTo: actor)
  }

  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(_ body: @escaping @Sendable (isolated A, Value) -> Void) -> PromiseOnActor {
    PromiseOnActor(promise.onFulfilled(isolatedTo: actor, body), isolatedTo: actor)
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(_ body: @escaping @Sendable (isolated A, any Error) -> Void) -> PromiseOnActor {
    PromiseOnActor(promise.onRejected(isolatedTo: actor, body), isolatedTo: actor)
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(only:where:on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil,
    _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(promise.onRejected(only: type, where: predicate, isolatedTo: actor, body), isolatedTo: actor)
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(_ body: @escaping @Sendable (isolated A, any Error) -> Void) -> PromiseOnActor {
    PromiseOnActor(promise.onFailed(isolatedTo: actor, body), isolatedTo: actor)
  }

  /// Calls the closure with the outcome.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(_ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void) -> PromiseOnActor {
    PromiseOnActor(promise.onSettled(isolatedTo: actor, body), isolatedTo: actor)
  }

  /// Returns a promise for the value that an async closure makes of this promise's value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncMap(priority:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncMap<U: Sendable>(
    priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (isolated A, Value) async throws -> U
  ) -> PromiseOnActor<U, A> {
    PromiseOnActor<U, A>(
      promise.asyncMap(
        isolatedTo: actor, priority: priority, to: type, weight: weight, fileID: fileID, line: line, transform),
      isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which waits for an async closure that sees the value.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncTap(priority:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncTap(
    priority: TaskPriority? = nil, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Value) async throws -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.asyncTap(isolatedTo: actor, priority: priority, weight: weight, fileID: fileID, line: line, body),
      isolatedTo: actor)
  }

  /// Returns a promise with the same outcome, which waits for an async closure that cleans up.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncAlways(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncAlways(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) async throws -> Void
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.asyncAlways(isolatedTo: actor, priority: priority, fileID: fileID, line: line, body), isolatedTo: actor)
  }

  /// Returns a promise that replaces an error with the value that an async closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) async throws -> Value
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.asyncRecover(isolatedTo: actor, priority: priority, fileID: fileID, line: line, transform),
      isolatedTo: actor)
  }

  /// Returns a promise that replaces an error of the given type with the value that an async closure makes of it.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(from:priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<E: Error>(
    from type: E.Type, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) async throws -> Value
  ) -> PromiseOnActor {
    PromiseOnActor(
      promise.asyncRecover(from: type, isolatedTo: actor, priority: priority, fileID: fileID, line: line, transform),
      isolatedTo: actor)
  }

  /// Gives this promise a label, which descriptions, reports, recordings and traces show. Returns this promise.
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/labeled(_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func labeled(_ label: String) -> PromiseOnActor {
    PromiseOnActor(promise.labeled(label), isolatedTo: actor)
  }

  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(_ body: @escaping @Sendable (isolated A, Double) -> Void) -> PromiseOnActor {
    PromiseOnActor(promise.onProgress(isolatedTo: actor, body), isolatedTo: actor)
  }
}
