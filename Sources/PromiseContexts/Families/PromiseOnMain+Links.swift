// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseCore

extension PromiseOnMain {
  /// Cancels this promise with `upstream: true` when the object is deallocated, if the promise is still pending then.
  /// If the object's bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/bound(to:)-(CancelBagOwner)``.
  @_alwaysEmitIntoClient @discardableResult
  public func bound(to object: some CancelBagOwner) -> PromiseOnMain {
    PromiseOnMain(promise.bound(to: object))
  }

  /// Cancels this promise with `upstream: true` when the bag is deallocated or told to cancel, if the promise is still
  /// pending then. If the bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/bound(to:)-(CancelBag)``.
  @_alwaysEmitIntoClient @discardableResult
  public func bound(to bag: CancelBag) -> PromiseOnMain {
    PromiseOnMain(promise.bound(to: bag))
  }

  /// Returns a promise with the same outcome that clients may cancel without any effect on this promise (rule 4.10).
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/shielded(fileID:line:)``.
  @_alwaysEmitIntoClient
  public func shielded(fileID: StaticString = #fileID, line: UInt = #line) -> PromiseOnMain {
    PromiseOnMain(promise.shielded(fileID: fileID, line: line))
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @MainActor (any Error) throws -> Value
  ) -> PromiseOnMain {
    PromiseOnMain(promise.recover(on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise whose error, if it has the given type, is replaced with a value that the closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recover(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recover<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> Value
  ) -> PromiseOnMain {
    PromiseOnMain(promise.recover(from: type, on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise whose error, if any, is replaced with a value that the closure makes of it, unless this promise
  /// was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/recoverFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func recoverFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @MainActor (any Error) throws -> Value
  ) -> PromiseOnMain {
    PromiseOnMain(promise.recoverFailure(on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that adopts the promise that the closure returns for an error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Promise<Value>
  ) -> PromiseOnMain {
    PromiseOnMain(promise.rescue(on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that adopts the promise that the closure returns for an error of the given type.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescue(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescue<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> Promise<Value>
  ) -> PromiseOnMain {
    PromiseOnMain(promise.rescue(from: type, on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that adopts the promise that the closure returns for an error, unless this promise was
  /// cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/rescueFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func rescueFailure(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> Promise<Value>
  ) -> PromiseOnMain {
    PromiseOnMain(promise.rescueFailure(on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/catch(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (any Error) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.`catch`(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catch(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor (E) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.`catch`(only: type, where: predicate, on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchThen(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (any Error) throws -> AnyPromise
  ) -> PromiseOnMain {
    PromiseOnMain(promise.catchThen(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the error, unless this promise
  /// was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (any Error) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.catchFailure(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen an error of the given type,
  /// unless this promise was cancelled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/catchFailure(only:where:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func catchFailure<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor (E) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.catchFailure(only: type, where: predicate, on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which counts as cancelled if the closure says so of the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/markCancelled(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func markCancelled(
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @MainActor (any Error) -> Bool
  ) -> PromiseOnMain {
    PromiseOnMain(promise.markCancelled(on: .main, fileID: fileID, line: line, predicate))
  }

  /// Returns a promise whose error, if any, is replaced with the error that the closure returns or throws.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/mapError(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) throws -> any Error
  ) -> PromiseOnMain {
    PromiseOnMain(promise.mapError(on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise whose error, if it has the given type, is replaced with the error that the closure returns or
  /// throws.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/mapError(from:on:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func mapError<E: Error>(
    from type: E.Type, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) throws -> any Error
  ) -> PromiseOnMain {
    PromiseOnMain(promise.mapError(from: type, on: .main, fileID: fileID, line: line, transform))
  }

  /// Returns a promise for the transformed value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> U
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(promise.map(on: .main, to: type, weight: weight, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that adopts the promise that the closure returns.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> Promise<U>
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(promise.then(on: .main, to: type, weight: weight, fileID: fileID, line: line, transform))
  }

  /// Returns a promise for the result of one of two closures, one for the value and one for the error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/map(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func map<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @MainActor (Value) throws -> U, rejected: @escaping @MainActor (any Error) throws -> U
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(
      promise.map(
        on: .main, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected))
  }

  /// Returns a promise that adopts the promise that one of two closures returns, one for the value and one for the
  /// error.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:fulfilled:rejected:)``.
  @_alwaysEmitIntoClient
  public func then<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    fulfilled: @escaping @MainActor (Value) throws -> Promise<U>,
    rejected: @escaping @MainActor (any Error) throws -> Promise<U>
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(
      promise.then(
        on: .main, to: type, weight: weight, fileID: fileID, line: line, fulfilled: fulfilled, rejected: rejected))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/tap(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tap(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (Value) throws -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.tap(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which waits for a promise that the closure makes of the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/tapThen(on:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func tapThen(
    weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) throws -> AnyPromise
  ) -> PromiseOnMain {
    PromiseOnMain(promise.tapThen(on: .main, weight: weight, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which settles after the closure has seen the outcome.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/always(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func always(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (Result<Value, any Error>) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.always(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which settles after a cleanup has ended.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/alwaysThen(on:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func alwaysThen<Cleanup: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) throws -> Promise<Cleanup>
  ) -> PromiseOnMain {
    PromiseOnMain(promise.alwaysThen(on: .main, fileID: fileID, line: line, body))
  }

  /// Returns a promise for the same value, which is rejected if the predicate refuses the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/validate(on:message:error:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func validate(
    message: String? = nil, error: (any Error)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @MainActor (Value) throws -> Bool
  ) -> PromiseOnMain {
    PromiseOnMain(promise.validate(on: .main, message: message, error: error, fileID: fileID, line: line, predicate))
  }

  /// Returns a promise for the transformed value, which is rejected with
  /// ``/PromiseCore/PromiseError/noValue(createdAt:)`` if the closure returns `nil`.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/compactMap(on:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func compactMap<U: Sendable>(
    to type: U.Type = U.self, weight: Double = 0, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (Value) throws -> U?
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(promise.compactMap(on: .main, to: type, weight: weight, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that is fulfilled with `()` when this promise is fulfilled. A rejection passes through. Runs no
  /// code of the client, and so needs no context.
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/asVoid(fileID:line:)``.
  @_alwaysEmitIntoClient
  public func asVoid(fileID: StaticString = #fileID, line: UInt = #line) -> PromiseOnMain<Void> {
    PromiseOnMain<Void>(promise.asVoid(fileID: fileID, line: line))
  }

  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(_ body: @escaping @MainActor (Value) -> Void) -> PromiseOnMain {
    PromiseOnMain(promise.onFulfilled(on: .main, body))
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(_ body: @escaping @MainActor (any Error) -> Void) -> PromiseOnMain {
    PromiseOnMain(promise.onRejected(on: .main, body))
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(only:where:on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, _ body: @escaping @MainActor (E) -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.onRejected(only: type, where: predicate, on: .main, body))
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(_ body: @escaping @MainActor (any Error) -> Void) -> PromiseOnMain {
    PromiseOnMain(promise.onFailed(on: .main, body))
  }

  /// Calls the closure with the outcome.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(_ body: @escaping @MainActor (Result<Value, any Error>) -> Void) -> PromiseOnMain {
    PromiseOnMain(promise.onSettled(on: .main, body))
  }

  /// Returns a promise for the value that an async closure makes of this promise's value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncMap(priority:to:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncMap<U: Sendable>(
    priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @MainActor (Value) async throws -> U
  ) -> PromiseOnMain<U> {
    PromiseOnMain<U>(
      promise.asyncMap(on: .main, priority: priority, to: type, weight: weight, fileID: fileID, line: line, transform))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that sees the value.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncTap(priority:weight:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncTap(
    priority: TaskPriority? = nil, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) async throws -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.asyncTap(on: .main, priority: priority, weight: weight, fileID: fileID, line: line, body))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that cleans up.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncAlways(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncAlways(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Result<Value, any Error>) async throws -> Void
  ) -> PromiseOnMain {
    PromiseOnMain(promise.asyncAlways(on: .main, priority: priority, fileID: fileID, line: line, body))
  }

  /// Returns a promise that replaces an error with the value that an async closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (any Error) async throws -> Value
  ) -> PromiseOnMain {
    PromiseOnMain(promise.asyncRecover(on: .main, priority: priority, fileID: fileID, line: line, transform))
  }

  /// Returns a promise that replaces an error of the given type with the value that an async closure makes of it.
  ///
  /// Runs on the main actor, so the closure may touch its state. See
  /// ``/PromiseCore/Promise/asyncRecover(from:priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<E: Error>(
    from type: E.Type, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @MainActor (E) async throws -> Value
  ) -> PromiseOnMain {
    PromiseOnMain(
      promise.asyncRecover(from: type, on: .main, priority: priority, fileID: fileID, line: line, transform))
  }

  /// Gives this promise a label, which descriptions, reports, recordings and traces show. Returns this promise.
  ///
  /// The result is a view of the same kind. See ``/PromiseCore/Promise/labeled(_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func labeled(_ label: String) -> PromiseOnMain {
    PromiseOnMain(promise.labeled(label))
  }

  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(_ body: @escaping @MainActor (Double) -> Void) -> PromiseOnMain {
    PromiseOnMain(promise.onProgress(on: .main, body))
  }
}
