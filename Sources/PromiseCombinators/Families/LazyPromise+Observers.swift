// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
public import PromiseContexts
public import PromiseCore

extension LazyPromise {
  /// Starts the work. Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on `context`. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Value) -> Void)
    -> LazyPromise
  {
    withWork { $0.onFulfilled(on: context, body) }
    return self
  }

  /// Starts the work. Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(on context: MainContext, _ body: @escaping @MainActor (Value) -> Void) -> LazyPromise {
    withWork { $0.onFulfilled(on: .main, body) }
    return self
  }

  /// Starts the work. Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Value) -> Void)
    -> LazyPromise
  {
    withWork { $0.onFulfilled(isolatedTo: actor, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on `context`. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (any Error) -> Void)
    -> LazyPromise
  {
    withWork { $0.onRejected(on: context, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> LazyPromise {
    withWork { $0.onRejected(on: .main, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void)
    -> LazyPromise
  {
    withWork { $0.onRejected(isolatedTo: actor, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise
  /// is fulfilled.
  ///
  /// Runs on `context`. See ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (any Error) -> Void)
    -> LazyPromise
  {
    withWork { $0.onFailed(on: context, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise
  /// is fulfilled.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(on context: MainContext, _ body: @escaping @MainActor (any Error) -> Void) -> LazyPromise {
    withWork { $0.onFailed(on: .main, body) }
    return self
  }

  /// Starts the work. Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise
  /// is fulfilled.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void)
    -> LazyPromise
  {
    withWork { $0.onFailed(isolatedTo: actor, body) }
    return self
  }

  /// Starts the work. Calls the closure with the outcome.
  ///
  /// Runs on `context`. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> LazyPromise {
    withWork { $0.onSettled(on: context, body) }
    return self
  }

  /// Starts the work. Calls the closure with the outcome.
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(on context: MainContext, _ body: @escaping @MainActor (Result<Value, any Error>) -> Void)
    -> LazyPromise
  {
    withWork { $0.onSettled(on: .main, body) }
    return self
  }

  /// Starts the work. Calls the closure with the outcome.
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> LazyPromise {
    withWork { $0.onSettled(isolatedTo: actor, body) }
    return self
  }

  /// Starts the work. Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on `context`. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Double) -> Void)
    -> LazyPromise
  {
    withWork { $0.onProgress(on: context, body) }
    return self
  }

  /// Starts the work. Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the main actor, so the closure may touch its state. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(on context: MainContext, _ body: @escaping @MainActor (Double) -> Void) -> LazyPromise {
    withWork { $0.onProgress(on: .main, body) }
    return self
  }

  /// Starts the work. Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// Runs on the actor. The closure receives the actor, so it may touch its state. See
  /// ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Double) -> Void)
    -> LazyPromise
  {
    withWork { $0.onProgress(isolatedTo: actor, body) }
    return self
  }
}
