public import PromiseContexts
public import PromiseCore

// Resources whose closures run on the main actor, and may access its state.

extension Promise {
  /// Uses a resource as ``using(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)`` does, but on the main actor.
  public static func using<Acquired: Sendable>(
    _ resource: Resource<Acquired>, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Acquired) throws -> Promise
  ) -> Promise {
    using(resource, on: MainContext.context, fileID: fileID, line: line) { resource in
      try MainContext.assumeIsolated { try body(resource) }
    }
  }

  /// Uses two resources as ``using(_:_:on:fileID:line:_:)-(_,_,ExecutionContext,_,_,_)`` does, but on the main actor.
  public static func using<First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (First, Second) throws -> Promise
  ) -> Promise {
    using(first, second, on: MainContext.context, fileID: fileID, line: line) { first, second in
      try MainContext.assumeIsolated { try body(first, second) }
    }
  }
}

extension Resource {
  /// Creates a way to acquire and to release a resource on the main actor.
  public init(
    _ acquire: @escaping @MainActor () throws -> Promise<Value>,
    release: @escaping @MainActor (Value) throws -> AnyPromise, on context: MainContext
  ) {
    self.init(acquire, release: { value, _ in try release(value) }, on: context)
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use, on the main actor.
  public init(
    _ acquire: @escaping @MainActor () throws -> Promise<Value>,
    release: @escaping @MainActor (Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    on context: MainContext
  ) {
    let acquireOnMain: @Sendable () throws -> Promise<Value> = { try MainContext.assumeIsolated(acquire) }
    let releaseOnMain: @Sendable (Value, Result<Void, any Error>) throws -> AnyPromise = { value, outcome in
      try MainContext.assumeIsolated { try release(value, outcome) }
    }
    self.init(acquireOnMain, release: releaseOnMain, onContext: { MainContext.context })
  }
}
