/// Who hears of the promises that were made inside a call of `Diagnostics.scoped`. It lives as long as one of them does.
final class DiagnosticsScope: Sendable {
  /// That of the running code, if any.
  @TaskLocal static var current: DiagnosticsScope?

  let unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?
  let secondSettlement: (@Sendable (SecondSettlement) -> Void)?

  /// - Parameter outer: hears what this one leaves.
  init(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)?, in outer: DiagnosticsScope?
  ) {
    self.unhandledRejection = unhandledRejection ?? outer?.unhandledRejection
    self.secondSettlement = secondSettlement ?? outer?.secondSettlement
    Diagnostics.scopeBegan()
  }

  deinit { Diagnostics.scopeEnded() }
}

extension DiagnosticsScope: HandlerContext {
  func run(_ handler: () -> Void) { Self.$current.withValue(self) { handler() } }

  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await Self.$current.withValue(self) { await handler() }
  }
}

extension AnyPromise {
  /// This promise, which nobody else knows yet, belongs to the scope in which it is made.
  @inline(never)
  final func joinScope() {
    guard let scope = DiagnosticsScope.current else { return }
    side.demandTable().locked { $0.scope = scope }
  }

  /// This promise, which nobody else knows yet, is derived from `source`: if it was made in no scope, it belongs to that one's.
  @inline(never)
  final func joinScope(of source: AnyPromise) {
    guard scope == nil, let scope = source.scope else { return }
    side.demandTable().locked { $0.scope = scope }
  }

  /// The scope in which this promise, or one that it was derived from, was made.
  final var scope: DiagnosticsScope? { side.table?.locked { $0.scope } }
}
