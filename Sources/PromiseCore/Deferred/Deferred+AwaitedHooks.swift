// Hooks by which an owner says that its work outlasts its promise (rule 4.5).

extension Deferred {
  /// Calls a hook when the promise is cancelled, whose promise says when the work has stopped (rule 4.5).
  ///
  /// ```swift
  /// let deferred = Deferred<Page>()
  /// deferred.onCancelThen { _ in connection.rollBack() }
  /// ```
  ///
  /// The promise of this deferred is settled at once, but has not finished before that which the hook returns has (rule
  /// 2.11). So the release of a `using` and a place in a gate wait for it. Where and when the hook runs is said at
  /// ``onCancel(_:)``. A hook that is registered after the cancellation runs, too, but is not waited for.
  ///
  /// A cancellation does not reach the returned promise. A rejection of it is reported unless other code handles it
  /// (rule 7.1).
  ///
  /// - Parameters:
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  ///   - hook: stops the work, and returns a promise for its end.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onCancelThen<Ended: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ reason: any Error) -> Promise<Ended>
  ) {
    addAwaitedCancelHook(at: CreationSite(fileID: fileID, line: line)) { hook($0) }
  }

  /// Calls a hook on a context when the promise is cancelled, whose promise says when the work has stopped (rule 4.5).
  ///
  /// Works like ``onCancelThen(fileID:line:_:)``, but the hook runs on the context in every case, as that of
  /// ``onCancel(on:_:)`` does.
  public func onCancelThen<Ended: Sendable>(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ reason: any Error) -> Promise<Ended>
  ) {
    addAwaitedCancelHook(on: context, at: CreationSite(fileID: fileID, line: line)) { hook($0) }
  }

  /// Calls an async hook when the promise is cancelled. The work has stopped when the hook has returned (rule 4.5).
  ///
  /// ```swift
  /// deferred.asyncOnCancel { _ in await connection.shutDown() }
  /// ```
  ///
  /// Works like ``onCancelThen(fileID:line:_:)``. The hook runs in a detached Task, which is never cancelled.
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. With `nil`, that of a detached Task.
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  ///   - hook: stops the work, and returns when it has stopped.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func asyncOnCancel(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ reason: any Error) async -> Void
  ) {
    let site = Site(fileID, line)
    addAwaitedCancelHook(at: CreationSite(site)) { .awaiting(hook, with: $0, priority, at: site) }
  }

  /// Calls a hook when the promise is settled, whatever settles it. Its promise says when the work has stopped (rule
  /// 4.5).
  ///
  /// ```swift
  /// let deferred = Deferred<Page>()
  /// deferred.onEndThen { _ in connection.rollBack() }
  /// ```
  ///
  /// Works like ``onCancelThen(fileID:line:_:)``, also where the owner itself settles the promise while work still
  /// runs. Where and when the hook runs is said at ``onEnd(_:)``.
  ///
  /// - Parameters:
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  ///   - hook: receives the outcome, and returns a promise for the end of the work.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func onEndThen<Ended: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ result: Result<Value, any Error>) -> Promise<Ended>
  ) {
    addAwaitedEndHook(at: CreationSite(fileID: fileID, line: line)) { hook($0) }
  }

  /// Calls a hook on a context when the promise is settled, whatever settles it. Its promise says when the work has
  /// stopped (rule 4.5).
  ///
  /// Works like ``onEndThen(fileID:line:_:)``, but the hook runs on the context in every case, as that of
  /// ``onEnd(on:_:)`` does.
  public func onEndThen<Ended: Sendable>(
    on context: any ExecutionContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ result: Result<Value, any Error>) -> Promise<Ended>
  ) {
    addAwaitedEndHook(on: context, at: CreationSite(fileID: fileID, line: line)) { hook($0) }
  }

  /// Calls an async hook when the promise is settled, whatever settles it. The work has stopped when the hook has
  /// returned (rule 4.5).
  ///
  /// Works like ``onEndThen(fileID:line:_:)``. The hook runs in a detached Task, which is never cancelled.
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. With `nil`, that of a detached Task.
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  ///   - hook: receives the outcome, and returns when the work has stopped.
  /// - Complexity: O(1). The first hook of a promise allocates its side table.
  public func asyncOnEnd(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ hook: @escaping @Sendable (_ result: Result<Value, any Error>) async -> Void
  ) {
    let site = Site(fileID, line)
    addAwaitedEndHook(at: CreationSite(site)) { .awaiting(hook, with: $0, priority, at: site) }
  }
}

extension Deferred {
  /// Calls a hook when the promise is cancelled. The promise has not finished before that which the hook returns has.
  ///
  /// - Parameters:
  ///   - context: where the hook runs. With `nil`, where hooks without a context do.
  ///   - fallback: where it runs if that context drops it.
  ///   - site: the place of the call, for diagnostics.
  package func addAwaitedCancelHook<Ended>(
    on context: (any ExecutionContext)? = nil, orElseOn fallback: (any ExecutionContext)? = nil, at site: CreationSite,
    _ hook: @escaping @Sendable (any Error) -> Promise<Ended>
  ) {
    let hook = awaited(at: site) { $0.end.wait(for: $0.promise.storedError.map(hook)) }
    source.register(OwnerHook(action: .cancelledThen(hook), context: context, fallback: fallback))
  }

  /// Calls a hook when the promise is settled. The promise has not finished before that which the hook returns has, if
  /// it returns one.
  package func addAwaitedEndHook<Ended>(
    on context: (any ExecutionContext)? = nil, orElseOn fallback: (any ExecutionContext)? = nil, at site: CreationSite,
    _ hook: @escaping @Sendable (Result<Value, any Error>) -> Promise<Ended>?
  ) {
    let hook = awaited(at: site) { $0.end.wait(for: hook(Promise<Value>.downcast($0.promise).outcome)) }
    source.register(OwnerHook(action: .endedThen(hook), context: context, fallback: fallback))
  }

  private func awaited(at site: CreationSite, _ body: @escaping AwaitedHook.Body) -> AwaitedHook {
    AwaitedHook(at: site.site, Diagnostics.isActive ? source.prepare(body) : body)
  }
}

extension Promise where Value == Void {
  /// Returns a promise for the end of an async hook, which runs in a detached Task.
  fileprivate static func awaiting<Input: Sendable>(
    _ hook: @escaping @Sendable (Input) async -> Void, with input: Input, _ priority: TaskPriority?, at site: Site
  ) -> Promise {
    started(on: AwaitingContext.with(priority), at: site, body: HandlerBody { _, _ in awaiting(hook, with: input) })
  }
}
