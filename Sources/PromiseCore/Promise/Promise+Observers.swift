// Observers look at the outcome and derive nothing: they return the promise itself, and cannot throw.

extension Promise {
  /// Shows the value to the closure. Does nothing if the promise is rejected.
  ///
  /// - Returns: this promise (reference row D11).
  @inlinable @discardableResult
  public func onFulfilled(
    on context: any ExecutionContext, _ body: @escaping @Sendable (Value) -> Void
  ) -> Promise {
    let body = ValueObserver(body).body { body, from, _ in
      body(Promise<Value>.value(of: from))
      return .nothing
    }
    observe(on: context, handling: .value, body: body)
    return self
  }

  /// Shows the error to the closure. Does nothing if the promise is fulfilled.
  ///
  /// It is no consumer: who only wants to hear of a failure does not keep the work going (rule 4.0).
  ///
  /// - Returns: this promise (reference row D11). Its rejection counts as one that somebody looked at (rule 7.1).
  @inlinable @discardableResult
  public func onRejected(
    on context: any ExecutionContext, _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let body = ErrorObserver(body).body { body, from, _ in
      if let error = from.errorMarkingHandled { body(error) }
      return .nothing
    }
    observe(on: context, handling: [.error, .bystander], body: body)
    return self
  }

  /// Shows the outcome to the closure.
  ///
  /// - Returns: this promise (reference row D11). Its rejection counts as one that somebody looked at (rule 7.1).
  @inlinable @discardableResult
  public func onSettled(
    on context: any ExecutionContext, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Promise {
    let body = ValueObserver(body).body { body, from, _ in
      body(Promise<Value>.downcast(from).outcomeMarkingHandled)
      return .nothing
    }
    observe(on: context, handling: [.value, .error], body: body)
    return self
  }
}
