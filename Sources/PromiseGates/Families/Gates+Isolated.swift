// Written by Scripts/generate-families.py from the declarations in PromiseGates. Do not edit it: `make families`.
import PromiseContexts
public import PromiseCore

extension ConcurrencyLimit {
  /// Calls the closure when a place is free.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line) {
      try actor.assumeIsolated { try body($0) }
    }
  }
}

extension RateLimit {
  /// Calls the closure when it may start.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line) {
      try actor.assumeIsolated { try body($0) }
    }
  }
}

extension ReadersWriterGate {
  /// Calls the closure when all writers that came before it are done.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``read(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func read<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }

  /// Calls the closure when all readers and writers that came before it are done.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``write(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func write<A: Actor, Value>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }
}

extension SerialGate {
  /// Calls the closure when the operations of all earlier calls have finished.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<A: Actor, Value>(
    isolatedTo actor: A, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: ActorContext(actor), queuePriority: queuePriority, fileID: fileID, line: line) {
      try actor.assumeIsolated { try body($0) }
    }
  }
}

extension SingleFlight {
  /// Returns a promise for the outcome of the operation that is in progress for the key. If there is none, the closure
  /// starts one.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``run(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func run<A: Actor>(
    for key: Key, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    run(for: key, on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }
}

extension ValueCache {
  /// Returns a promise for the value of a key. If there is none, or it has expired, the closure loads it.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``value(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func value<A: Actor>(
    for key: Key, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try load($0) } }
  }
}
