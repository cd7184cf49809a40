extension Diagnostics {
  /// Runs the closure with hooks for the promises that are made in it. These replace the hooks of the process, so that
  /// tests can run in parallel.
  ///
  /// ```swift
  /// let log = Log<UnhandledRejection>()
  /// Diagnostics.scoped(unhandledRejection: log.append) { _ = Promise<Int>.rejected(MyError()) }
  /// #expect(log.entries.count == 1)
  /// ```
  ///
  /// A promise is made in the scope if it is made by the closure itself or by a Task that the closure creates. A
  /// promise is also made in the scope if it is derived from such a promise by a link, at any place and time, or made
  /// by the handler of such a link. The hooks are also called after this call has returned, on the thread that makes
  /// the report. The promises retain the hooks.
  ///
  /// For a hook that is omitted, the hook of the enclosing scope is used, or else that of the process.
  ///
  /// - Parameters:
  ///   - unhandledRejection: as in ``onUnhandledRejection(_:)`` (rule 7.1).
  ///   - secondSettlement: as in ``onSecondSettlement(_:)`` (rule 1.3).
  ///   - body: makes the promises.
  /// - Complexity: O(1). While any scope is in use, every new promise looks up its scope, and each promise in a scope
  ///   has a side table.
  public static func scoped<Result>(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)? = nil,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)? = nil,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = DiagnosticsScope.current
    let scope = DiagnosticsScope(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, in: outer)
    return try scope.bind(body)
  }

  /// Runs an async closure with hooks for the promises that are made in it. The closure runs on the caller's actor.
  /// Otherwise as ``scoped(unhandledRejection:secondSettlement:_:)-1ukok``.
  public nonisolated(nonsending) static func scoped<Result>(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)? = nil,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)? = nil,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let outer = DiagnosticsScope.current
    let scope = DiagnosticsScope(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, in: outer)
    return try await scope.bind(body)
  }
}
