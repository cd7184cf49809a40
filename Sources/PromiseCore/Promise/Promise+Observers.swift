// Observers see the outcome and derive nothing. They return the same promise, and cannot throw.

extension Promise {
  /// Calls the closure with the value. Does nothing if the promise is rejected.
  ///
  /// The closure runs on `context`, never inside this call. The observer is a consumer of the promise (rule 4.0). It
  /// does not handle a rejection (rule 7.1). If the promise, or one above it, is cancelled before the closure has
  /// started, the closure never runs, even if the promise was fulfilled before (rule 2.5).
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func onFulfilled(
    on context: any ExecutionContext, _ body: consuming @escaping @Sendable (Value) -> Void
  ) -> Promise {
    let body = ValueObserver.body(consume body) { body, from, _ in
      body(Promise<Value>.value(of: from))
      return .nothing
    }
    observe(on: context, [.value, .isTakenBack, .made(by: .onFulfilled)], consume body)
    return self
  }

  /// Calls the closure with the error. Does nothing if the promise is fulfilled.
  ///
  /// The closure runs on `context`, never inside this call. The observer is not a consumer of the promise, and so does
  /// not keep its work going (rule 4.0). A rejection counts as handled when the closure runs (rule 7.1).
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected(
    on context: any ExecutionContext, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let observer = HandlerBody { from, _ in
      if let error = from.errorMarkingHandled { body(error) }
      return .nothing
    }
    observe(on: context, [.error, .isNotConsumer, .made(by: .onRejected)], observer)
    return self
  }

  /// Calls the closure with an error of the given type. Does nothing for other errors, and if the promise is fulfilled.
  ///
  /// A rejection with an error of another type, or with one that the predicate refuses, does not count as handled.
  /// Otherwise as ``onRejected(on:_:)``. The parameters are those of ``catch(only:where:on:fileID:line:_:)``.
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func onRejected<E: Error>(
    only type: E.Type, where predicate: (@Sendable (E) -> Bool)? = nil, on context: any ExecutionContext,
    _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    // Without a predicate, the handler captures one closure, and needs no block for several.
    let observer =
      predicate.map { predicate in
        HandlerBody { from, _ in
          if let error = from.errorMarkingHandled(as: E.self, where: predicate) { body(error) }
          return .nothing
        }
      }
      ?? HandlerBody { from, _ in
        if let error = from.errorMarkingHandled(as: E.self) { body(error) }
        return .nothing
      }
    observe(on: context, [.error, .isNotConsumer, .made(by: .onRejected)], observer)
    return self
  }

  /// Calls the closure with the error, unless the promise was cancelled. Does nothing if the promise is fulfilled.
  ///
  /// The closure does not run for a rejection with the cancelled mark, whatever its error is. This includes the error
  /// of ``AnyPromise/cancel(reason:upstream:)`` (rule 1.2). Nor does it run if the promise, or one above it, is
  /// cancelled before the closure has started, even if the promise was rejected before (rule 2.5). The rejection then counts
  /// as handled (rule 7.1). Otherwise as ``onRejected(on:_:)``.
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func onFailed(
    on context: any ExecutionContext, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let observer = HandlerBody { from, _ in
      if let error = from.failureMarkingHandled { body(error) }
      return .nothing
    }
    observe(
      on: context, [.error, .isNotConsumer, .isTakenBack, .isForFailures, .made(by: .onFailed)], observer)
    return self
  }

  /// Calls the closure with the outcome.
  ///
  /// The closure runs on `context`, never inside this call. The observer is a consumer of the promise (rule 4.0). A
  /// rejection counts as handled when the closure runs (rule 7.1).
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func onSettled(
    on context: any ExecutionContext, _ body: consuming @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    let body = ValueObserver.body(consume body) { body, from, _ in
      body(Promise<Value>.downcast(from).outcomeMarkingHandled)
      return .nothing
    }
    observe(on: context, [.value, .error, .made(by: .onSettled)], consume body)
    return self
  }
}
