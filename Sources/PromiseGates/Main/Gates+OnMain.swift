public import PromiseContexts
public import PromiseCore

// The methods of gates whose closures run on the main actor, and may access its state.

extension SerialGate {
  /// Calls the closure as ``run(on:queuePriority:fileID:line:_:)`` does, but on the main actor.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line
    ) { try MainContext.assumeIsolated(body) }
  }
}

extension Limit {
  /// Calls the closure as ``run(on:queuePriority:fileID:line:_:)`` does, but on the main actor.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line
    ) { try MainContext.assumeIsolated(body) }
  }
}

extension ReadersWriterGate {
  /// Calls the closure as ``read(on:fileID:line:_:)`` does, but on the main actor.
  public func read<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }

  /// Calls the closure as ``write(on:fileID:line:_:)`` does, but on the main actor.
  public func write<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension RateLimit {
  /// Calls the closure as ``run(on:queuePriority:fileID:line:_:)`` does, but on the main actor.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line
    ) { try MainContext.assumeIsolated(body) }
  }
}

extension SingleFlight {
  /// Calls the closure as ``run(_:on:fileID:line:_:)`` does, but on the main actor.
  public func run(
    _ key: Key, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(key, on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension ValueCache {
  /// Returns a promise for a value as ``value(for:on:fileID:line:_:)`` does, but loads it on the main actor.
  public func value(
    for key: Key, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(load) }
  }
}
