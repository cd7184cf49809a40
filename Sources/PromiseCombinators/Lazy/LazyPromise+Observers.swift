public import PromiseContexts
public import PromiseCore

// Each of these methods starts the lazy promise.

extension LazyPromise {
  /// Starts the work, and calls the closure with the value. See ``/PromiseCore/Promise/onFulfilled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Value) -> Void
  ) -> LazyPromise {
    promise.onFulfilled(on: context, body)
    return self
  }

  /// Starts the work, and calls the closure with the error. See ``/PromiseCore/Promise/onRejected(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (any Error) -> Void
  ) -> LazyPromise {
    promise.onRejected(on: context, body)
    return self
  }

  /// Starts the work, and calls the closure with the error, unless the promise was cancelled. See
  /// ``/PromiseCore/Promise/onFailed(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (any Error) -> Void
  ) -> LazyPromise {
    promise.onFailed(on: context, body)
    return self
  }

  /// Starts the work, and calls the closure with each progress. See ``/PromiseCore/Promise/onProgress(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onProgress(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Double) -> Void
  ) -> LazyPromise {
    promise.onProgress(on: context, body)
    return self
  }

  /// Starts the work, and calls the closure with the outcome. See ``/PromiseCore/Promise/onSettled(on:_:)``.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(
    on context: any ExecutionContext = .pool, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> LazyPromise {
    promise.onSettled(on: context, body)
    return self
  }
}
