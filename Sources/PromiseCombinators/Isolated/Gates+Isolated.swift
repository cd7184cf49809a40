import PromiseContexts
public import PromiseCore

// The closures of gates that run on an actor: these get it, isolated, and may touch its state.

extension SerialGate {
  /// As `run(on:_:)`, on the actor, which the closure gets.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension Limit {
  /// As `run(on:_:)`, on the actor, which the closure gets.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension ReadersWriterGate {
  /// As `read(on:_:)`, on the actor, which the closure gets.
  public func read<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// As `write(on:_:)`, on the actor, which the closure gets.
  public func write<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension RateLimit {
  /// As `run(on:_:)`, on the actor, which the closure gets.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}

extension SingleFlight {
  /// As `run(_:on:_:)`, on the actor, which the closure gets.
  public func run<A: Actor>(
    _ key: Key, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(key, on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}
