public import PromiseContexts
public import PromiseCore

// Lazy work and observers on the main actor, whose state the closure may access. To derive a lazy promise with handlers
// on the main actor, use `derive`.

extension LazyPromise {
  /// Creates a lazy promise as ``init(on:fileID:line:_:)`` does, whose closure runs on the main actor.
  public convenience init(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Deferred<Value>) throws -> Void
  ) {
    self.init(on: MainContext.context, fileID: fileID, line: line) { deferred in
      try MainContext.assumeIsolated { try body(deferred) }
    }
  }

  /// Returns a lazy promise as ``run(on:fileID:line:_:)`` does, whose closure runs on the main actor.
  public static func run(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Value
  ) -> LazyPromise {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }

  /// Returns a lazy promise as ``adopting(on:fileID:line:_:)`` does, whose closure runs on the main actor.
  public static func adopting(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> LazyPromise {
    adopting(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }
}
