public import PromiseCore

// The links and observers on an actor: their closures get the actor, and run isolated to it. What each does is said at the
// declaration in PromiseCore that takes an ``ExecutionContext``.

extension Promise {
  @inlinable
  public func map<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> U
  ) -> Promise<U> {
    map(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  @inlinable
  public func then<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> Promise<U>
  ) -> Promise<U> {
    then(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  @inlinable
  public func map<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    fulfilled: @escaping @Sendable (isolated A, Value) throws -> U,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> U
  ) -> Promise<U> {
    map(
      on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try actor.assumeIsolated { try fulfilled($0, value) } },
      rejected: { error in try actor.assumeIsolated { try rejected($0, error) } }
    )
  }

  @inlinable
  public func then<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    fulfilled: @escaping @Sendable (isolated A, Value) throws -> Promise<U>,
    rejected: @escaping @Sendable (isolated A, any Error) throws -> Promise<U>
  ) -> Promise<U> {
    then(
      on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line,
      fulfilled: { value in try actor.assumeIsolated { try fulfilled($0, value) } },
      rejected: { error in try actor.assumeIsolated { try rejected($0, error) } }
    )
  }

  @inlinable @discardableResult
  public func tap<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Value) throws -> Void
  ) -> Promise {
    tap(on: ActorContext(actor), fileID: fileID, line: line) { value in try actor.assumeIsolated { try body($0, value) }
    }
  }

  @inlinable @discardableResult
  public func always<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: ActorContext(actor), fileID: fileID, line: line) { result in actor.assumeIsolated { body($0, result) } }
  }

  @inlinable
  public func validate<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ predicate: @escaping @Sendable (isolated A, Value) throws -> Bool
  ) -> Promise {
    validate(on: ActorContext(actor), fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try predicate($0, value) }
    }
  }

  @inlinable
  public func compactMap<A: Actor, U: Sendable>(
    isolatedTo actor: A, to type: U.Type = U.self, weight: Double = 1, fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, Value) throws -> U?
  ) -> Promise<U> {
    compactMap(on: ActorContext(actor), to: type, weight: weight, fileID: fileID, line: line) { value in
      try actor.assumeIsolated { try transform($0, value) }
    }
  }

  @inlinable
  public func recover<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Value
  ) -> Promise {
    recover(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  @inlinable
  public func recover<A: Actor, E: Error>(
    from type: E.Type, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, E) throws -> Value
  ) -> Promise {
    recover(from: type, on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  @inlinable
  public func rescue<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> Promise
  ) -> Promise {
    rescue(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  @inlinable @discardableResult
  public func `catch`<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> Promise {
    `catch`(on: ActorContext(actor), fileID: fileID, line: line) { error in actor.assumeIsolated { body($0, error) } }
  }

  @inlinable @discardableResult
  public func `catch`<A: Actor, E: Error>(
    only type: E.Type, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, E) -> Void
  ) -> Promise {
    `catch`(only: type, on: ActorContext(actor), fileID: fileID, line: line) { error in
      actor.assumeIsolated { body($0, error) }
    }
  }

  @inlinable
  public func mapError<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (isolated A, any Error) throws -> any Error
  ) -> Promise {
    mapError(on: ActorContext(actor), fileID: fileID, line: line) { error in
      try actor.assumeIsolated { try transform($0, error) }
    }
  }

  @inlinable @discardableResult
  public func onFulfilled<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Value) -> Void)
    -> Promise
  {
    onFulfilled(on: ActorContext(actor)) { value in actor.assumeIsolated { body($0, value) } }
  }

  @inlinable @discardableResult
  public func onRejected<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void)
    -> Promise
  {
    onRejected(on: ActorContext(actor)) { error in actor.assumeIsolated { body($0, error) } }
  }

  @inlinable @discardableResult
  public func onSettled<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> Promise {
    onSettled(on: ActorContext(actor)) { result in actor.assumeIsolated { body($0, result) } }
  }

  @inlinable @discardableResult
  public func onProgress<A: Actor>(isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Double) -> Void)
    -> Promise
  {
    onProgress(on: ActorContext(actor)) { progress in actor.assumeIsolated { body($0, progress) } }
  }
}
