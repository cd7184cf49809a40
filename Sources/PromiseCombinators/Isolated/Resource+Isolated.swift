import PromiseContexts
public import PromiseCore

// Resources whose closures run on an actor. The closure gets the isolated actor, and may access its state.

extension Promise {
  /// Uses a resource as `using(_:on:_:)` does, but on the actor. The closure gets the actor.
  public static func using<A: Actor, Acquired: Sendable>(
    _ resource: Resource<Acquired>, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Acquired) throws -> Promise
  ) -> Promise {
    using(resource, on: ActorContext(actor), fileID: fileID, line: line) { resource in
      try actor.assumeIsolated { try body($0, resource) }
    }
  }

  /// Uses two resources as `using(_:_:on:_:)` does, but on the actor. The closure gets the actor.
  public static func using<A: Actor, First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, First, Second) throws -> Promise
  ) -> Promise {
    using(first, second, on: ActorContext(actor), fileID: fileID, line: line) { first, second in
      try actor.assumeIsolated { try body($0, first, second) }
    }
  }
}

extension Resource {
  /// Creates a way to acquire and to release a resource on the actor. The closures get the actor.
  public init<A: Actor>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Value>,
    release: @escaping @Sendable (isolated A, Value) throws -> AnyPromise, isolatedTo actor: A
  ) {
    self.init(acquire, release: { actor, value, _ in try release(actor, value) }, isolatedTo: actor)
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use, on the actor. The closures get
  /// the actor.
  public init<A: Actor>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Value>,
    release: @escaping @Sendable (isolated A, Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    isolatedTo actor: A
  ) {
    let acquireOnActor: @Sendable () throws -> Promise<Value> = { try actor.assumeIsolated(acquire) }
    let releaseOnActor: @Sendable (Value, Result<Void, any Error>) throws -> AnyPromise = { value, outcome in
      try actor.assumeIsolated { try release($0, value, outcome) }
    }
    self.init(acquireOnActor, release: releaseOnActor, onContext: { ActorContext(actor) })
  }
}
