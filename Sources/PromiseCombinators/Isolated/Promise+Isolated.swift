public import PromiseContexts
public import PromiseCore

// The operators whose closures run on an actor: these get it, isolated, and may touch its state. Elements must be `Sendable`, because
// what is on the actor may keep them.

extension Promise {
  /// As `traverse` of a sequence, on the actor, which the closure gets.
  public static func traverse<A: Actor, Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// As `traverse` of an asynchronous sequence, on the actor, which the closure gets. The sequence is read elsewhere.
  @_disfavoredOverload
  public static func traverse<A: Actor, Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// As `reduce(_:on:_:)`, on the actor, which the closure gets.
  public func reduce<A: Actor, Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (isolated A, Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: ActorContext(actor), fileID: fileID, line: line) { value, element in
      try actor.assumeIsolated { try combine($0, value, element) }
    }
  }

  /// As `chain(_:_:on:)`, on the actor, which the functions get.
  public static func chain<A: Actor>(
    _ initial: Value, _ links: [@Sendable (isolated A, Value) throws -> Promise], isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let links = links.map { link -> @Sendable (Value) throws -> Promise in
      { value in try actor.assumeIsolated { try link($0, value) } }
    }
    return chain(initial, links, on: ActorContext(actor), fileID: fileID, line: line)
  }

  /// As `retry(attempts:backoff:on:timers:while:_:)`, on the actor, which the closure and the predicate get.
  public static func retry<A: Actor>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), isolatedTo actor: A,
    timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (isolated A, _ failedAttempt: Int, _ error: any Error) -> Bool = { _, _, _ in
      true
    },
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise
  ) -> Promise {
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { failedAttempt, error in
      actor.assumeIsolated { predicate($0, failedAttempt, error) }
    }
    return retry(
      attempts: attempts, backoff: backoff, on: ActorContext(actor), timers: timers, while: shouldRetry, fileID: fileID,
      line: line
    ) { try actor.assumeIsolated(body) }
  }
}

extension Promise where Value == Void {
  /// As `repeat(on:_:)`, on the actor, which the closure gets.
  public static func `repeat`<A: Actor, Step>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Step>?
  ) -> Promise {
    `repeat`(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// As `forEach` of a sequence, on the actor, which the closure gets.
  public static func forEach<A: Actor, Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// As `forEach` of an asynchronous sequence, on the actor, which the closure gets. The sequence is read elsewhere.
  @_disfavoredOverload
  public static func forEach<A: Actor, Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }
}
