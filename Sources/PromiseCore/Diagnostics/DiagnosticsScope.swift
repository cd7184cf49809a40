/// The hooks for the promises that are made inside a call of `Diagnostics.scoped`, or in a test environment. The
/// promises retain their scope.
package final class DiagnosticsScope: Sendable {
  /// The scope of the running code, if any.
  @TaskLocal package static var current: DiagnosticsScope?

  let unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?
  let secondSettlement: (@Sendable (SecondSettlement) -> Void)?
  /// Records the promises of the scope.
  let recorder: (any PromiseRecorder)?

  /// Weak, so that promises that outlive their test do not retain its environment.
  ///
  /// `nonisolated(unsafe)`, because it is only written before other threads know the scope. The runtime clears it
  /// atomically.
  nonisolated(unsafe) private weak var weakEnvironment: (any TestEnvironment)?

  var testEnvironment: (any TestEnvironment)? { unsafe weakEnvironment }

  /// Creates a scope inside another scope. The outer scope provides the test environment, and the hooks that are `nil`
  /// here.
  init(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)?, recorder: (any PromiseRecorder)? = nil,
    in outer: DiagnosticsScope?
  ) {
    self.unhandledRejection = unhandledRejection ?? outer?.unhandledRejection
    self.secondSettlement = secondSettlement ?? outer?.secondSettlement
    self.recorder = recorder ?? outer?.recorder
    unsafe weakEnvironment = outer?.testEnvironment
    if self.recorder != nil { Diagnostics.recordingBegan() }
    Diagnostics.scopeBegan()
  }

  /// Creates a scope that is not inside another.
  package convenience init(
    unhandledRejection: @escaping @Sendable (UnhandledRejection) -> Void,
    secondSettlement: @escaping @Sendable (SecondSettlement) -> Void, recorder: (any PromiseRecorder)? = nil
  ) {
    self.init(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, recorder: recorder, in: nil)
  }

  /// Sets the test environment, which owns this scope. Called before other code knows the scope.
  package func setTestEnvironment(_ environment: any TestEnvironment) { unsafe weakEnvironment = environment }

  /// Creates a scope with a recorder inside that of the running code.
  package convenience init(recorder: any PromiseRecorder) {
    self.init(unhandledRejection: nil, secondSettlement: nil, recorder: recorder, in: Self.current)
  }

  deinit {
    if recorder != nil { Diagnostics.recordingEnded() }
    Diagnostics.scopeEnded()
  }

  /// Runs a body in this scope.
  package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: body)
  }

  /// Runs a body that may suspend in this scope.
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
  /// Adds this promise, which no other thread knows yet, to the scope of the running code.
  @inline(never)
  final func joinScope() {
    if let scope = DiagnosticsScope.current { join(scope) }
  }

  /// Adds this promise, which is derived from `source` and which no other thread knows yet, to the scope of `source`,
  /// unless it has a scope.
  @inline(never)
  final func joinScope(of source: AnyPromise) {
    if scope == nil, let scope = source.scope { join(scope) }
  }

  private func join(_ scope: DiagnosticsScope) {
    locked { sideTable.scope = scope }
    scope.testEnvironment?.didCreate(self)
  }

  /// The scope in which this promise was made, or in which a promise was made from which it was derived.
  final var scope: DiagnosticsScope? { locked { side?.scope } }
}
