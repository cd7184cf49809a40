public import PromiseContexts
public import PromiseCore

// The operators whose closures run on an actor. The closure gets the isolated actor, and may access its state. Elements
// must be `Sendable`, because the closure may store them in the actor.

extension Promise {
  /// Calls the closure for each element of a sequence as `traverse` does, but on the actor. The closure gets the actor.
  public static func traverse<A: Actor, Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: ActorContext(actor), fileID: fileID, line: line) {
      element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// Calls the closure for each element of an asynchronous sequence as `traverse` does, but on the actor. The closure
  /// gets the actor. The sequence is not read on the actor.
  @_disfavoredOverload
  public static func traverse<A: Actor, Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: ActorContext(actor), fileID: fileID, line: line) {
      element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// Combines the value with each element as `reduce(_:on:_:)` does, but on the actor. The closure gets the actor.
  public func reduce<A: Actor, Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (isolated A, Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: ActorContext(actor), fileID: fileID, line: line) { value, element in
      try actor.assumeIsolated { try combine($0, value, element) }
    }
  }

  /// Transforms a value as `chain(_:_:on:)` does, but on the actor. The functions get the actor.
  public static func chain<A: Actor>(
    _ initial: Value, _ links: [@Sendable (isolated A, Value) throws -> Promise], isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let links = links.map { link -> @Sendable (Value) throws -> Promise in
      { value in try actor.assumeIsolated { try link($0, value) } }
    }
    return chain(initial, links, on: ActorContext(actor), fileID: fileID, line: line)
  }

  /// Makes attempts as the `retry` whose closure takes no number does, but on the actor. The closure and the predicate
  /// get the actor.
  public static func retry<A: Actor>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, isolatedTo actor: A, timers: any TimerContext = .standard,
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
      attempts: attempts, backoff: backoff, within: limit, until: end, on: ActorContext(actor), timers: timers,
      while: shouldRetry, fileID: fileID, line: line
    ) { try actor.assumeIsolated(body) }
  }

  /// Makes attempts as the `retry` whose closure takes the number of the attempt does, but on the actor. The closure
  /// and the predicate get the actor.
  public static func retry<A: Actor>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, isolatedTo actor: A, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (isolated A, _ failedAttempt: Int, _ error: any Error) -> Bool = { _, _, _ in
      true
    },
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, _ attempt: Int) throws -> Promise
  ) -> Promise {
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { failedAttempt, error in
      actor.assumeIsolated { predicate($0, failedAttempt, error) }
    }
    return retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: ActorContext(actor), timers: timers,
      while: shouldRetry, fileID: fileID, line: line
    ) { attempt in try actor.assumeIsolated { try body($0, attempt) } }
  }

  /// Uses a resource as `using(_:release:on:_:)` does, but on the actor. The closures get the actor.
  public static func using<A: Actor, Resource: Sendable>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Resource>,
    release: @escaping @Sendable (isolated A, Resource) throws -> AnyPromise,
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Resource) throws -> Promise
  ) -> Promise {
    let acquireOnActor: @Sendable () throws -> Promise<Resource> = { try actor.assumeIsolated(acquire) }
    let releaseOnActor: @Sendable (Resource) throws -> AnyPromise = { resource in
      try actor.assumeIsolated { try release($0, resource) }
    }
    return using(acquireOnActor, release: releaseOnActor, on: ActorContext(actor), fileID: fileID, line: line) {
      resource in
      try actor.assumeIsolated { try body($0, resource) }
    }
  }

  /// Uses a resource as the `using` whose release gets the outcome does, but on the actor. The closures get the actor.
  public static func using<A: Actor, Resource: Sendable>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Resource>,
    release: @escaping @Sendable (isolated A, Resource, _ outcome: Result<Value, any Error>) throws -> AnyPromise,
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Resource) throws -> Promise
  ) -> Promise {
    let acquireOnActor: @Sendable () throws -> Promise<Resource> = { try actor.assumeIsolated(acquire) }
    let releaseOnActor: @Sendable (Resource, Result<Value, any Error>) throws -> AnyPromise = { resource, outcome in
      try actor.assumeIsolated { try release($0, resource, outcome) }
    }
    return using(acquireOnActor, release: releaseOnActor, on: ActorContext(actor), fileID: fileID, line: line) {
      resource in
      try actor.assumeIsolated { try body($0, resource) }
    }
  }
}

extension Promise where Value == Void {
  /// Calls the closure repeatedly as `repeat(on:_:)` does, but on the actor. The closure gets the actor.
  public static func `repeat`<A: Actor, Step>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Step>?
  ) -> Promise {
    `repeat`(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  /// Calls the closure for each element of a sequence as `forEach` does, but on the actor. The closure gets the actor.
  public static func forEach<A: Actor, Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// Calls the closure for each element of an asynchronous sequence as `forEach` does, but on the actor. The closure
  /// gets the actor. The sequence is not read on the actor.
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
