public import PromiseContexts
public import PromiseCore

// The closures of gates that run on the main actor: these may touch its state.

extension SerialGate {
  /// As ``run(on:fileID:line:_:)``, on the main actor.
  public func run<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension Limit {
  /// As ``run(on:fileID:line:_:)``, on the main actor.
  public func run<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension ReadersWriterGate {
  /// As ``read(on:fileID:line:_:)``, on the main actor.
  public func read<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    read(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }

  /// As ``write(on:fileID:line:_:)``, on the main actor.
  public func write<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    write(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension RateLimit {
  /// As ``run(on:fileID:line:_:)``, on the main actor.
  public func run<Value>(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}

extension SingleFlight {
  /// As ``run(_:on:fileID:line:_:)``, on the main actor.
  public func run(
    _ key: Key, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> Promise<Value> {
    run(key, on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}
