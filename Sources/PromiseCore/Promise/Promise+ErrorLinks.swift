// The links for errors: a value passes through them at once, without a hop.

extension Promise {
  /// Derives a promise that has a value even if this one is rejected: the one that the closure makes of the error.
  ///
  /// Values pass. If the closure throws, the derived promise is rejected with that error (Promises/A+ 2.2.7). If the derived promise is
  /// cancelled first, the closure never runs, and is released before `cancel` returns (rule 2.5).
  @inlinable
  public func recover(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ErrorHandler(transform).body { transform, from, to in
      guard let error = from.errorMarkingHandled else { return Promise<Value>.copy(from, to) }
      return Promise<Value>.settle(to) { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .recovers], body: body)
  }

  /// As ``recover(on:fileID:line:_:)``, for errors of one type; others pass.
  @inlinable
  public func recover<E: Error>(
    from type: E.Type, on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueHandler(transform).body { transform, from, to in
      // Not thrown again: an error that passes keeps its cancelled mark (rule 1.2).
      guard let error = from.storedError as? E else { return Promise<Value>.pass(from, to) }
      from.markHandled()
      return Promise<Value>.settle(to) { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .recovers], body: body)
  }

  /// Derives a promise that, if this one is rejected, becomes what the promise returned by the closure becomes.
  ///
  /// Values pass. The derived promise adopts as with ``then(on:to:weight:fileID:line:_:)`` (rule 2.6).
  @inlinable
  public func rescue(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ErrorAdopter(transform).body { transform, from, to in
      guard let error = from.errorMarkingHandled else { return Promise<Value>.copy(from, to) }
      return Promise<Value>.adopt(to) { try transform(error) }
    }
    return .derived(from: self, at: site, on: context, handling: [.error, .recovers, .adopts], body: body)
  }

  /// Derives a promise with the same outcome, once the closure has seen the error.
  ///
  /// The error stays: the derived promise is rejected with it, and counts as one that somebody looked at (rule 7.1).
  @inlinable @discardableResult
  public func `catch`(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ErrorObserver(body).body { body, from, to in
      if let error = from.errorMarkingHandled { body(error) }
      return Promise<Value>.pass(from, to, isHandled: true)
    }
    return .derived(from: self, at: site, on: context, handling: .error, body: body)
  }

  /// As ``catch(on:fileID:line:_:)``, for errors of one type; others pass unseen.
  @inlinable @discardableResult
  public func `catch`<E: Error>(
    only type: E.Type, on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (E) -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ValueObserver(body).body { body, from, to in
      guard let error = from.storedError as? E else { return Promise<Value>.pass(from, to) }
      from.markHandled()
      body(error)
      return Promise<Value>.pass(from, to, isHandled: true)
    }
    return .derived(from: self, at: site, on: context, handling: .error, body: body)
  }

  /// Derives a promise that, if this one is rejected, is rejected with what the closure makes of the error, or throws.
  @inlinable
  public func mapError(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> any Error
  ) -> Promise {
    recover(on: context, fileID: fileID, line: line) { error in throw try transform(error) }
  }
}
