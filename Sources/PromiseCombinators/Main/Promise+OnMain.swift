public import PromiseContexts
public import PromiseCore

// The operators whose closures run on the main actor, and may access its state. Elements must be `Sendable`, because
// the closure may store them in the main actor. Everything else is as for the operators on an execution context.

extension Promise {
  /// Calls the closure for each element as ``traverse(_:concurrency:until:on:fileID:line:_:)`` does, but on the main actor.
  public static func traverse<Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: MainContext.context, fileID: fileID, line: line) {
      element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// Calls the closure for each element of an asynchronous sequence as `traverse` does, but on the main actor. The
  /// sequence is not read on the main actor.
  @_disfavoredOverload
  public static func traverse<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: MainContext.context, fileID: fileID, line: line) {
      element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// Combines the value with each element as ``reduce(_:on:fileID:line:_:)`` does, but on the main actor.
  public func reduce<Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @MainActor (Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: MainContext.context, fileID: fileID, line: line) { value, element in
      try MainContext.assumeIsolated { try combine(value, element) }
    }
  }

  /// Transforms a value as ``chain(_:_:on:fileID:line:)`` does, but on the main actor.
  public static func chain(
    _ initial: Value, _ links: [@MainActor (Value) throws -> Promise], on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let links = links.map { link -> @Sendable (Value) throws -> Promise in
      { value in try MainContext.assumeIsolated { try link(value) } }
    }
    return chain(initial, links, on: MainContext.context, fileID: fileID, line: line)
  }

  /// Makes attempts as the `retry` whose closure takes no number does, but on the main actor.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: MainContext, timers: any TimerContext = .standard,
    while predicate: @escaping @MainActor (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor () throws -> Promise
  ) -> Promise {
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { attempt, error in
      MainContext.assumeIsolated { predicate(attempt, error) }
    }
    return retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: MainContext.context, timers: timers,
      while: shouldRetry, fileID: fileID, line: line
    ) { try MainContext.assumeIsolated(body) }
  }

  /// Makes attempts as the `retry` whose closure takes the number of the attempt does, but on the main actor.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: MainContext, timers: any TimerContext = .standard,
    while predicate: @escaping @MainActor (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (_ attempt: Int) throws -> Promise
  ) -> Promise {
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { attempt, error in
      MainContext.assumeIsolated { predicate(attempt, error) }
    }
    return retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: MainContext.context, timers: timers,
      while: shouldRetry, fileID: fileID, line: line
    ) { attempt in try MainContext.assumeIsolated { try body(attempt) } }
  }

  /// Uses a resource as `using(_:release:on:_:)` does, but on the main actor.
  public static func using<Resource: Sendable>(
    _ acquire: @escaping @MainActor () throws -> Promise<Resource>,
    release: @escaping @MainActor (Resource) throws -> AnyPromise,
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Resource) throws -> Promise
  ) -> Promise {
    let acquireOnMain: @Sendable () throws -> Promise<Resource> = { try MainContext.assumeIsolated(acquire) }
    let releaseOnMain: @Sendable (Resource) throws -> AnyPromise = { resource in
      try MainContext.assumeIsolated { try release(resource) }
    }
    return using(acquireOnMain, release: releaseOnMain, on: MainContext.context, fileID: fileID, line: line) {
      resource in
      try MainContext.assumeIsolated { try body(resource) }
    }
  }

  /// Uses a resource as the `using` whose release gets the outcome does, but on the main actor.
  public static func using<Resource: Sendable>(
    _ acquire: @escaping @MainActor () throws -> Promise<Resource>,
    release: @escaping @MainActor (Resource, _ outcome: Result<Value, any Error>) throws -> AnyPromise,
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Resource) throws -> Promise
  ) -> Promise {
    let acquireOnMain: @Sendable () throws -> Promise<Resource> = { try MainContext.assumeIsolated(acquire) }
    let releaseOnMain: @Sendable (Resource, Result<Value, any Error>) throws -> AnyPromise = { resource, outcome in
      try MainContext.assumeIsolated { try release(resource, outcome) }
    }
    return using(acquireOnMain, release: releaseOnMain, on: MainContext.context, fileID: fileID, line: line) {
      resource in
      try MainContext.assumeIsolated { try body(resource) }
    }
  }
}

extension Promise where Value == Void {
  /// Calls the closure repeatedly as ``repeat(on:fileID:line:_:)`` does, but on the main actor.
  public static func `repeat`(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> AnyPromise?
  ) -> Promise {
    `repeat`(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }

  /// Calls the closure for each element as ``forEach(_:on:fileID:line:_:)`` does, but on the main actor.
  public static func forEach<Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// Calls the closure for each element of an asynchronous sequence as `forEach` does, but on the main actor. The
  /// sequence is not read on the main actor.
  @_disfavoredOverload
  public static func forEach<Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }
}
