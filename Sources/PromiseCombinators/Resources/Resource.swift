import PromiseContexts
public import PromiseCore

/// A way to acquire a resource and to release it.
///
/// ```swift
/// struct Pool: Sendable {
///   let connect: @Sendable () -> Promise<Connection>
///   let takeBack: @Sendable (Connection) -> Promise<Void>
///
///   var connection: Resource<Connection> { Resource(connect, release: takeBack) }
/// }
/// ```
///
/// Creating a `Resource` acquires nothing. Each use of it by `using` or `asyncUsing` acquires the resource once, and
/// releases it (rule 2.10).
///
/// A release may take the outcome of the use as a second argument, such as a release that commits or rolls back. The
/// outcome has no value, because a `Resource` fits uses with values of any type.
public struct Resource<Value: Sendable>: Sendable {
  private let closures: Closures

  private enum Closures: Sendable {
    /// The context is that of the moment of a use, so a `TestWorld` replaces the pool and the main actor.
    case promises(
      on: @Sendable () -> any ExecutionContext, acquire: @Sendable () throws -> Promise<Value>,
      release: @Sendable (Value, Result<Void, any Error>) throws -> AnyPromise)
    case tasks(
      acquire: @Sendable () async throws -> Value,
      release: @Sendable (Value, Result<Void, any Error>) async throws -> Void)
  }

  /// Creates a way to acquire and to release a resource.
  ///
  /// - Parameters:
  ///   - acquire: begins the acquisition, and returns a promise for the resource.
  ///   - release: begins the release of the resource, and returns a promise for its end. The value does not matter.
  ///   - context: where both closures run. If it is `nil`, they run on the pool. If it drops the job of the release, the
  ///     resource is not released.
  public init(
    _ acquire: @escaping @Sendable () throws -> Promise<Value>,
    release: @escaping @Sendable (Value) throws -> AnyPromise, on context: (any ExecutionContext)? = nil
  ) {
    self.init(acquire, release: release, onContext: { context ?? PoolContext.pool })
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use.
  ///
  /// - Parameters:
  ///   - acquire: begins the acquisition, and returns a promise for the resource.
  ///   - release: begins the release of the resource after a use with the given outcome, and returns a promise for its
  ///     end. The value does not matter.
  ///   - context: where both closures run. If it is `nil`, they run on the pool. If it drops the job of the release, the
  ///     resource is not released.
  public init(
    _ acquire: @escaping @Sendable () throws -> Promise<Value>,
    release: @escaping @Sendable (Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    on context: (any ExecutionContext)? = nil
  ) {
    self.init(acquire, release: release, onContext: { context ?? PoolContext.pool })
  }

  /// - Parameter context: returns the context at each use.
  init(
    _ acquire: @escaping @Sendable () throws -> Promise<Value>,
    release: @escaping @Sendable (Value) throws -> AnyPromise,
    onContext context: @escaping @Sendable () -> any ExecutionContext
  ) {
    self.init(acquire, release: { value, _ in try release(value) }, onContext: context)
  }

  /// - Parameter context: returns the context at each use.
  init(
    _ acquire: @escaping @Sendable () throws -> Promise<Value>,
    release: @escaping @Sendable (Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    onContext context: @escaping @Sendable () -> any ExecutionContext
  ) {
    closures = .promises(on: context, acquire: acquire, release: release)
  }

  /// Creates a way to acquire and to release a resource with async closures.
  ///
  /// The closures run in Tasks that are never cancelled (rule 2.10). They inherit the priority and the task-local values
  /// of the code that uses the resource (rule 8.3).
  ///
  /// - Parameters:
  ///   - acquire: returns the resource.
  ///   - release: releases the resource.
  public init(
    async acquire: @escaping @Sendable () async throws -> Value,
    release: @escaping @Sendable (Value) async throws -> Void
  ) {
    closures = .tasks(acquire: acquire, release: { value, _ in try await release(value) })
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use, with async closures.
  ///
  /// The closures run as those of the form without the outcome.
  ///
  /// - Parameters:
  ///   - acquire: returns the resource.
  ///   - release: releases the resource after a use with the given outcome.
  public init(
    async acquire: @escaping @Sendable () async throws -> Value,
    release: @escaping @Sendable (Value, _ outcome: Result<Void, any Error>) async throws -> Void
  ) {
    closures = .tasks(acquire: acquire, release: release)
  }
}

extension Resource {
  /// The closures for one use by a closure that returns a promise. Their Tasks inherit from the code that calls this.
  func closuresForOneUse(
    fileID: StaticString, line: UInt
  ) -> ResourceClosures<Value, Result<Void, any Error>> {
    switch closures {
    case .promises(let context, let acquire, let release):
      return ResourceClosures(context(), acquire, release)
    case .tasks(let acquire, let release):
      let acquiring = Caller()
      let releasing = Caller()
      return ResourceClosures(PoolContext.pool) {
        acquiring.task(fileID: fileID, line: line) { try await acquire() }
      } _: { value, outcome in
        releasing.task(fileID: fileID, line: line) { try await release(value, outcome) }
      }
    }
  }

  /// Acquires the resource for a use by an async closure. Returns when the acquisition has finished (rule 2.11). The
  /// Task must not be cancelled.
  func acquire(at site: CreationSite) async throws -> Value {
    switch closures {
    case .promises(let context, let acquire, _):
      let acquisition = Promise<Value>.startOwned(on: context(), by: .using, at: site) { try acquire() }
      return try await acquisition.value(cancelsSource: true)
    case .tasks(let acquire, _): return try await acquire()
    }
  }

  /// Releases the resource after a use by an async closure. Returns when the release has finished (rule 2.11). The Task
  /// must not be cancelled.
  func release(_ value: Value, after outcome: Result<some Any, any Error>, at site: CreationSite) async throws {
    let outcome = outcome.map { _ in }
    switch closures {
    case .promises(let context, _, let release):
      let cleanup = Promise<Void>.startOwned(on: context(), by: .using, at: site) {
        try release(value, outcome).asVoid(at: site)
      }
      try await cleanup.value(cancelsSource: true)
    case .tasks(_, let release): try await release(value, outcome)
    }
  }
}

/// The task-local values and the trace that a later Task inherits from the code which creates this object (rule 8.3).
private struct Caller: Sendable {
  private let values = TaskLocalValues()
  private let tracing = CapturedContext()

  /// Starts the Task. May be called once.
  func task<Value: Sendable>(
    fileID: StaticString, line: UInt, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    values.run { .task(fileID: fileID, line: line) { try await tracing.run(awaiting: body) } }
  }
}
