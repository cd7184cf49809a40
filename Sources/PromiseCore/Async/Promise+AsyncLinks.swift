// Links with an async closure. Under names of their own: a method that is overloaded on what its closure returns costs the
// type checker minutes.

extension Promise {
  /// Derives a promise for what the async closure makes of the value.
  ///
  /// ```swift
  /// let image = url.asyncMap { try await download($0) }
  /// ```
  ///
  /// As `map`, but the closure needs no context: it runs in a Task of its own, made once this promise is fulfilled.
  /// That Task is detached: it inherits neither task-local values nor an actor nor the priority of the thread that
  /// settled the promise, nor of the one that attached the link. To run on an actor, call it with `await`, or mark the
  /// closure: `{ @MainActor in … }`.
  ///
  /// If the closure throws, the derived promise is rejected with that error, cancelled if it is a `CancellationError`
  /// (rules 1.2 and 2.3). If this promise is rejected, so is the derived one, and the closure is released unrun.
  ///
  /// If the derived promise is cancelled first, the closure never runs, and is released before `cancel` returns; if it is
  /// running, its Task is cancelled, and what it returns or throws is discarded (rules 2.5 and 4.4). What it captured is
  /// released before handlers of the derived promise run (rule 2.4).
  ///
  /// - Parameters:
  ///   - priority: that of the Task; `nil`: that of a detached Task.
  ///   - type: the type of the result, where the compiler cannot infer it from a closure of several statements.
  ///   - weight: the share of the progress, beside that of the links before and the root's 1 (rule 5.4). Negative or no
  ///     number: 0.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - transform: value to value.
  /// - Complexity: O(1): a link and, when it runs, a Task.
  @inlinable
  public func asyncMap<U: Sendable>(
    priority: TaskPriority? = nil, to type: U.Type = U.self, weight: Double = 1,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) async throws -> U
  ) -> Promise<U> {
    let site = Site(fileID, line)
    let body = ReactionBody { from, to in
      .awaits { await Promise<U>.settle(to) { try await transform(Promise<Value>.value(of: from)) } }
    }
    return .derived(
      from: self, at: site, on: AwaitingContext.with(priority), handling: .value, weight: weight, body: body)
  }

  /// Derives a promise with the same outcome, once the async closure has seen the value and returned.
  ///
  /// As ``asyncMap(priority:to:weight:fileID:line:_:)``. If the closure throws, the derived promise is rejected with
  /// that error. Errors pass.
  @inlinable @discardableResult
  public func asyncTap(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Value) async throws -> Void
  ) -> Promise {
    asyncMap(priority: priority, weight: 0, fileID: fileID, line: line) { value in
      try await body(value)
      return value
    }
  }

  /// Derives a promise that has a value even if this one is rejected: the one that the async closure makes of the error.
  ///
  /// As ``asyncMap(priority:to:weight:fileID:line:_:)``, for errors. Values pass, without a Task.
  ///
  /// If the derived promise is cancelled first, the closure never runs, as with `recover`, and is released before `cancel` returns;
  /// if it is running, its Task is cancelled, and what it returns or throws is discarded (rule 2.5).
  @inlinable
  public func asyncRecover(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) async throws -> Value
  ) -> Promise {
    let site = Site(fileID, line)
    let body = ReactionBody { from, to in
      guard let error = from.errorMarkingHandled else { return Promise<Value>.copy(from, to) }
      return .awaits { await Promise<Value>.settle(to) { try await transform(error) } }
    }
    return .derived(
      from: self, at: site, on: AwaitingContext.with(priority), handling: [.error, .recovers], body: body)
  }

  /// An async handler makes the outcome of a promise of this type.
  @inlinable
  static func settle(_ promise: AnyPromise, by handler: () async throws -> Value) async -> Verdict {
    do {
      return downcast(promise).claim(fulfilling: try await handler()) ? .settled : .nothing
    } catch {
      return promise.claim(rejecting: error) ? .settled : .nothing
    }
  }
}
