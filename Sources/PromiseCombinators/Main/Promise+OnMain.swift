public import PromiseContexts
public import PromiseCore

// The operators whose closures run on the main actor: these may touch its state. Everything else is as without; only that elements must be
// `Sendable`, as what is on the main actor may keep them.

extension Promise {
  /// As ``traverse(_:concurrency:on:fileID:line:_:)``, on the main actor.
  public static func traverse<Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// As `traverse` of an asynchronous sequence, on the main actor. The sequence is read elsewhere.
  @_disfavoredOverload
  public static func traverse<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// As ``reduce(_:on:fileID:line:_:)``, on the main actor.
  public func reduce<Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @MainActor (Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: MainContext.context, fileID: fileID, line: line) { value, element in
      try MainContext.assumeIsolated { try combine(value, element) }
    }
  }

  /// As ``chain(_:_:on:fileID:line:)``, on the main actor.
  public static func chain(
    _ initial: Value, _ links: [@MainActor (Value) throws -> Promise], on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let links = links.map { link -> @Sendable (Value) throws -> Promise in
      { value in try MainContext.assumeIsolated { try link(value) } }
    }
    return chain(initial, links, on: MainContext.context, fileID: fileID, line: line)
  }

  /// As ``retry(attempts:backoff:on:timers:while:fileID:line:_:)``, on the main actor.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), on context: MainContext,
    timers: any TimerContext = .standard,
    while predicate: @escaping @MainActor (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor () throws -> Promise
  ) -> Promise {
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { attempt, error in
      MainContext.assumeIsolated { predicate(attempt, error) }
    }
    return retry(
      attempts: attempts, backoff: backoff, on: MainContext.context, timers: timers, while: shouldRetry, fileID: fileID,
      line: line
    ) { try MainContext.assumeIsolated(body) }
  }
}

extension Promise where Value == Void {
  /// As ``repeat(on:fileID:line:_:)``, on the main actor.
  public static func `repeat`(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> AnyPromise?
  ) -> Promise {
    `repeat`(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated(body) }
  }

  /// As ``forEach(_:on:fileID:line:_:)``, on the main actor.
  public static func forEach<Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// As `forEach` of an asynchronous sequence, on the main actor. The sequence is read elsewhere.
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
