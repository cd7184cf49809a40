/// Receives the reports on promises that are made inside a call of `Diagnostics.scoped`, or in a test environment. Its promises
/// retain it.
package final class DiagnosticsScope: Sendable {
  /// That of the running code, if any.
  @TaskLocal static var current: DiagnosticsScope?

  let unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?
  let secondSettlement: (@Sendable (SecondSettlement) -> Void)?

  /// Weak, so that promises that outlive their test do not retain its environment.
  ///
  /// `nonisolated(unsafe)`: never written once others know the scope, except by the runtime, which does so atomically.
  nonisolated(unsafe) private weak var weakEnvironment: (any TestEnvironment)?

  var testEnvironment: (any TestEnvironment)? { unsafe weakEnvironment }

  /// Creates a scope inside another, which receives the reports for which this scope has no hook and whose test environment
  /// it has.
  init(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)?, in outer: DiagnosticsScope?
  ) {
    self.unhandledRejection = unhandledRejection ?? outer?.unhandledRejection
    self.secondSettlement = secondSettlement ?? outer?.secondSettlement
    unsafe weakEnvironment = outer?.testEnvironment
    Diagnostics.scopeBegan()
  }

  /// A scope of its own.
  package convenience init(
    unhandledRejection: @escaping @Sendable (UnhandledRejection) -> Void,
    secondSettlement: @escaping @Sendable (SecondSettlement) -> Void
  ) {
    self.init(unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, in: nil)
  }

  /// Sets the test environment, which owns this scope. Called before any other code knows the scope.
  package func setTestEnvironment(_ environment: any TestEnvironment) { unsafe weakEnvironment = environment }

  deinit { Diagnostics.scopeEnded() }

  /// Runs a body in this scope.
  package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: body)
  }

  /// The same for a body that may suspend.
  package nonisolated(nonsending) func bind<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: body)
  }
}

extension DiagnosticsScope: HandlerContext {
  package func run(_ handler: () -> Void) { bind(handler) }

  package nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await bind(handler)
  }
}

extension AnyPromise {
  /// This promise, which nobody else knows yet, belongs to the scope in which it is made.
  @inline(never)
  final func joinScope() {
    if let scope = DiagnosticsScope.current { join(scope) }
  }

  /// This promise, which nobody else knows yet, is derived from `source`: if it was made in no scope, it belongs to that one's.
  @inline(never)
  final func joinScope(of source: AnyPromise) {
    let (own, sources) = (scope, source.scope)
    if let own {
      if own !== sources { own.testEnvironment?.willDerive(from: source) }
    } else if let sources {
      join(sources)
    }
  }

  private func join(_ scope: DiagnosticsScope) {
    side.getOrCreateTable().locked { $0.scope = scope }
    scope.testEnvironment?.didCreate(self)
  }

  /// The scope in which this promise, or one that it was derived from, was made.
  final var scope: DiagnosticsScope? { side.table?.locked { $0.scope } }
}
