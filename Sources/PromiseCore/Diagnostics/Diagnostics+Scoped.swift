extension Diagnostics {
  /// Runs the closure, and tells the given hooks, instead of the process's, what becomes of the promises made in it: for
  /// tests, which run side by side.
  ///
  /// ```swift
  /// let log = Log<UnhandledRejection>()
  /// Diagnostics.scoped(unhandledRejection: log.append) { _ = Promise<Int>.rejected(MyError()) }
  /// #expect(log.entries.count == 1)
  /// ```
  ///
  /// *Made in it* means: by the closure itself, by Tasks that it makes, derived from such a promise by a link, wherever
  /// that is done and however much later, or made by a handler of such a link. The hooks are called also if that is
  /// after the call has returned, from the thread where it happens; they live as long as such a promise.
  ///
  /// A hook that is left out is that of the scope around this one, or else the process's.
  ///
  /// - Parameters:
  ///   - unhandledRejection: as in ``onUnhandledRejection(_:)`` (rule 7.1).
  ///   - secondSettlement: as in ``onSecondSettlement(_:)`` (rule 1.3).
  ///   - body: makes the promises.
  /// - Complexity: O(1). As long as any scope is in use, every promise looks for its own, and those in one take a side table.
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

  /// As ``scoped(unhandledRejection:secondSettlement:_:)-1ukok``, with an async closure, which runs where the caller does.
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
