import PromiseContexts
public import PromiseCore

// Lazy work and observers on an actor. The closure gets the isolated actor, and may access its state. To derive a lazy
// promise with handlers on an actor, use `derive`.

extension LazyPromise {
  /// Creates a lazy promise as `init(on:_:)` does, whose closure runs on the actor. The closure gets the actor.
  public convenience init<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Deferred<Value>) throws -> Void
  ) {
    self.init(on: ActorContext(actor), fileID: fileID, line: line) { deferred in
      try actor.assumeIsolated { try body($0, deferred) }
    }
  }

  /// Returns a lazy promise as `run(on:_:)` does, whose closure runs on the actor. The closure gets the actor.
  public static func run<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Value
  ) -> LazyPromise {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// Returns a lazy promise as `adopting(on:_:)` does, whose closure runs on the actor. The closure gets the actor.
  public static func adopting<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> LazyPromise {
    adopting(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }
}
