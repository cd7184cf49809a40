// Written by Scripts/generate-families.py from the declarations in PromiseGates. Do not edit it: `make families`.
public import PromiseContexts
public import PromiseCore

extension ConcurrencyLimit {
  /// Calls the closure when a place is free.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line) {
      try MainContext.assumeIsolated { try body() }
    }
  }
}

extension RateLimit {
  /// Calls the closure when it may start.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line) {
      try MainContext.assumeIsolated { try body() }
    }
  }
}

extension ReadersWriterGate {
  /// Calls the closure when all writers that came before it are done.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``read(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func read<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }

  /// Calls the closure when all readers and writers that came before it are done.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``write(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func write<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }
}

extension SerialGate {
  /// Calls the closure when the operations of all earlier calls have finished.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<Value>(
    on context: MainContext, queuePriority: QueuePriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, queuePriority: queuePriority, fileID: fileID, line: line) {
      try MainContext.assumeIsolated { try body() }
    }
  }
}

extension SingleFlight {
  /// Returns a promise for the outcome of the operation that is in progress for the key. If there is none, the closure
  /// starts one.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``run(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func run(
    for key: Key, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(for: key, on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }
}

extension ValueCache {
  /// Returns a promise for the value of a key. If there is none, or it has expired, the closure loads it.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``value(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func value(
    for key: Key, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: MainContext.context, fileID: fileID, line: line) {
      try MainContext.assumeIsolated { try load() }
    }
  }
}
