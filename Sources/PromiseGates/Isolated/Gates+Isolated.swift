import PromiseContexts
public import PromiseCore

// The methods of gates whose closures run on an actor. The closure gets the isolated actor, and may access its state.

extension SerialGate {
  /// Calls the closure as `run(on:_:)` does, but on the actor. The closure gets the actor.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line
    ) { try actor.assumeIsolated(body) }
  }
}

extension Limit {
  /// Calls the closure as `run(on:_:)` does, but on the actor. The closure gets the actor.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line
    ) { try actor.assumeIsolated(body) }
  }
}

extension ReadersWriterGate {
  /// Calls the closure as `read(on:_:)` does, but on the actor. The closure gets the actor.
  public func read<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// Calls the closure as `write(on:_:)` does, but on the actor. The closure gets the actor.
  public func write<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension RateLimit {
  /// Calls the closure as `run(on:_:)` does, but on the actor. The closure gets the actor.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(
      on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line
    ) { try actor.assumeIsolated(body) }
  }
}

extension SingleFlight {
  /// Calls the closure as `run(_:on:_:)` does, but on the actor. The closure gets the actor.
  public func run<A: Actor>(
    _ key: Key, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(key, on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension ValueCache {
  /// Returns a promise for a value as `value(for:on:_:)` does, but loads it on the actor. The closure gets the actor.
  public func value<A: Actor>(
    for key: Key, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(load) }
  }
}
