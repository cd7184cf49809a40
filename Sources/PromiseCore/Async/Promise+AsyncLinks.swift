// Links with an async closure. They have names of their own, because type checking takes minutes if a method is
// overloaded on what its closure returns.

extension Promise {
  /// Returns a promise for the value that an async closure makes of this promise's value.
  ///
  /// ```swift
  /// let image = url.asyncMap { try await download($0) }
  /// ```
  ///
  /// Like `map`, but the closure needs no context. It runs in a Task of its own, which is created once this promise is
  /// fulfilled. The Task is detached: it inherits neither task-local values nor an actor nor a priority, be it from the
  /// thread that settled the promise or from the one that attached the link. To run on an actor, call it with `await`,
  /// or use the forms of PromiseContexts, `on: .main` and `isolatedTo:`. A closure that is only marked, `{ @MainActor in
  /// … }`, may begin after a cancellation if the actor was busy.
  ///
  /// If the closure throws, the derived promise is rejected with that error. A `CancellationError` makes it cancelled
  /// (rules 1.2 and 2.3). If this promise is rejected, so is the derived one, and the closure is released without
  /// having run.
  ///
  /// If the derived promise is cancelled before the closure has started, the closure never runs, and is released before
  /// `cancel` returns, unless its Task waits for an actor by then. If the closure is running, its Task is cancelled, and
  /// what it returns or throws is discarded (rules 2.5 and 4.4). Everything that it captured is released before
  /// handlers of the derived promise run (rule 2.4).
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. With `nil`, that of a detached Task.
  ///   - type: the type of the result, if the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of this link in the progress of the chain. Each other link has its own weight, and the root
  ///     has 1 (rule 5.4). Counts as 0 if it is negative or not a number.
  ///   - fileID: the file in which the link is made, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - transform: makes the new value from the value of this promise.
  /// - Complexity: O(1): a link and, when it runs, a Task.
  @_alwaysEmitIntoClient
  public func asyncMap<U: Sendable>(
    priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws -> U
  ) -> Promise<U> {
    asyncMapped(by: .asyncMap, priority, weight: weight, at: Site(fileID, line), transform)
  }

  @_alwaysEmitIntoClient
  func asyncMapped<U: Sendable>(
    by operation: Operation, _ priority: TaskPriority?, weight: Double, at site: Site,
    _ transform: @escaping @Sendable (Value) async throws -> U
  ) -> Promise<U> {
    let body = HandlerBody { from, _ in Promise<U>.awaiting(transform, with: Promise<Value>.value(of: from)) }
    return .derived(
      from: self, at: site, on: AwaitingContext.with(priority), handling: [.value, .made(by: operation)],
      weight: weight, body: consume body)
  }

  /// Returns a promise with the same outcome, which waits for an async closure that sees the value.
  ///
  /// Runs the closure as ``asyncMap(priority:to:weight:fileID:line:_:)`` does. If the closure throws, the derived
  /// promise is rejected with that error. If this promise is rejected, the closure does not run, and the error passes
  /// through.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncTap(
    priority: TaskPriority? = nil, weight: Double = 1, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) async throws -> Void
  ) -> Promise {
    asyncMapped(by: .asyncTap, priority, weight: weight, at: Site(fileID, line), Self.passing(through: body))
  }

  /// Returns a promise with the same outcome, which waits for an async closure that cleans up.
  ///
  /// ```swift
  /// let rows = connection.query(text).asyncAlways { _ in await connection.reset() }
  /// ```
  ///
  /// The closure runs once, in a detached Task, with the outcome of this promise. If the derived promise is cancelled
  /// while this promise is pending, it gets the reason of the cancellation (rule 2.5). Unlike the Task of the other
  /// asynchronous links, this Task is never cancelled, because a cleanup must reach its end (rule 2.10). Failure,
  /// cancellation and progress are those of ``alwaysThen(on:fileID:line:_:)``.
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. With `nil`, that of a detached Task.
  ///   - fileID: the file in which the link is made, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: cleans up. If it throws, the cleanup has failed.
  /// - Complexity: O(1): a link and, when it runs, a Task.
  @_alwaysEmitIntoClient @discardableResult
  public func asyncAlways(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Result<Value, any Error>) async throws -> Void
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, to in
      let source = Promise<Value>.downcast(from)
      let outcome = source.outcome
      return source.adoption(by: to, using: .asyncAlways) {
        Promise<Void>.started(
          on: AwaitingContext.with(priority), at: site,
          body: HandlerBody { _, _ in Promise<Void>.awaiting(body, with: outcome) })
      }
    }
    return .derived(
      from: self, at: site, on: InlineContext.shared,
      handling: [.value, .error, .always, .made(by: .asyncAlways)], body: consume body)
  }

  /// Returns a promise that replaces an error with the value that an async closure makes of it.
  ///
  /// Runs the closure as ``asyncMap(priority:to:weight:fileID:line:_:)`` does, but for errors. A value passes through
  /// without a Task.
  ///
  /// If the derived promise is cancelled before the closure has started, the closure never runs, as with `recover`, and
  /// is released before `cancel` returns, unless its Task waits for an actor by then. If the closure is running, its
  /// Task is cancelled, and what it returns or throws is discarded (rule 2.5).
  @_alwaysEmitIntoClient
  public func asyncRecover(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) async throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled else { return .passes(isHandled: false) }
      return Promise<Value>.awaiting(transform, with: error)
    }
    return .derived(
      from: self, at: site, on: AwaitingContext.with(priority), handling: [.error, .made(by: .asyncRecover)],
      body: consume body)
  }

  /// Returns a promise that replaces an error of the given type with the value that an async closure makes of it.
  ///
  /// Errors of other types pass through. Otherwise as ``asyncRecover(priority:fileID:line:_:)``.
  @_alwaysEmitIntoClient
  public func asyncRecover<E: Error>(
    from type: E.Type, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (E) async throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = HandlerBody { from, _ in
      guard let error = from.errorMarkingHandled(as: E.self) else { return .passes(isHandled: false) }
      return Promise<Value>.awaiting(transform, with: error)
    }
    return .derived(
      from: self, at: site, on: AwaitingContext.with(priority), handling: [.error, .made(by: .asyncRecover)],
      body: consume body)
  }
}

// MARK: - The async functions of the links

// The optimiser of Swift 6.3.1 allocates too little for an async function that keeps a vector of more than 16 bytes in a
// variable while it is suspended, so the function writes behind its memory (Docs/Reference/Portability.md). Generic code
// is not affected, because it keeps a value in memory of its own. So a function that makes an async closure has a twin
// that is never specialised, for values that may contain such a vector.
extension Promise {
  /// Whether values of a type are too small to contain a vector of more than 16 bytes. The size of a vector is a power
  /// of two. A constant wherever the type is known.
  @_alwaysEmitIntoClient
  static func isSmall<T>(_ type: T.Type) -> Bool { MemoryLayout<T>.size < 32 }

  /// Returns the result of a body, by which a Task calls an async handler with an input.
  @_alwaysEmitIntoClient
  static func awaiting<Input: Sendable>(
    _ handler: @escaping @Sendable (Input) async throws -> Value, with input: Input
  ) -> BodyResult {
    guard isSmall(Input.self), isSmall(Value.self) else { return awaitingInMemory(handler, with: input) }
    return .awaits { await result { try await handler(input) } }
  }

  /// Does what `awaiting` does, for values of any size.
  @_alwaysEmitIntoClient @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  static func awaitingInMemory<Input: Sendable>(
    _ handler: @escaping @Sendable (Input) async throws -> Value, with input: Input
  ) -> BodyResult {
    .awaits { await result { try await handler(input) } }
  }

  /// Returns a handler that calls another one, and then returns the value.
  @_alwaysEmitIntoClient
  static func passing(
    through body: @escaping @Sendable (Value) async throws -> Void
  ) -> @Sendable (Value) async throws -> Value {
    guard isSmall(Value.self) else { return passingInMemory(through: body) }
    return { value in
      try await body(value)
      return value
    }
  }

  /// Does what `passing` does, for values of any size.
  @_alwaysEmitIntoClient @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  static func passingInMemory(
    through body: @escaping @Sendable (Value) async throws -> Void
  ) -> @Sendable (Value) async throws -> Value {
    { value in
      try await body(value)
      return value
    }
  }

  /// Returns the result of a body whose async handler returns a value of this type.
  @_alwaysEmitIntoClient
  static func result(of handler: () async throws -> Value) async -> BodyResult {
    do { return .value(payload(of: try await handler())) } catch { return .error(error) }
  }
}
