import PromiseContexts
public import PromiseCore

// Lazy work on an actor, which the closure gets and whose state it may touch. Links on it are made by `derive`.

extension LazyPromise {
  /// As `init(on:_:)`, on the actor, which the closure gets.
  public convenience init<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Deferred<Value>) throws -> Void
  ) {
    self.init(on: ActorContext(actor), fileID: fileID, line: line) { deferred in
      try actor.assumeIsolated { try body($0, deferred) }
    }
  }

  /// As `run(on:_:)`, on the actor, which the closure gets.
  public static func run<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Value
  ) -> LazyPromise {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// As `adopting(on:_:)`, on the actor, which the closure gets.
  public static func adopting<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> LazyPromise {
    adopting(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension LazyPromise {
  /// As `onFulfilled(on:_:)`, on the actor, which the closure gets.
  @discardableResult
  public func onFulfilled<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Value) -> Void
  ) -> LazyPromise {
    promise.onFulfilled(isolatedTo: actor, body)
    return self
  }

  /// As `onRejected(on:_:)`, on the actor, which the closure gets.
  @discardableResult
  public func onRejected<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, any Error) -> Void
  ) -> LazyPromise {
    promise.onRejected(isolatedTo: actor, body)
    return self
  }

  /// As `onProgress(on:_:)`, on the actor, which the closure gets.
  @discardableResult
  public func onProgress<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Double) -> Void
  ) -> LazyPromise {
    promise.onProgress(isolatedTo: actor, body)
    return self
  }

  /// As `onSettled(on:_:)`, on the actor, which the closure gets.
  @discardableResult
  public func onSettled<A: Actor>(
    isolatedTo actor: A, _ body: @escaping @Sendable (isolated A, Result<Value, any Error>) -> Void
  ) -> LazyPromise {
    promise.onSettled(isolatedTo: actor, body)
    return self
  }
}
