extension AnyPromise {
  /// Returns the body that runs in place of this body, for a link that is about to be attached to this promise while
  /// diagnostics are active.
  ///
  /// - Parameters:
  ///   - target: the derived promise, which no other thread knows yet. `nil` for an observer.
  ///   - traits: the outcomes for which the body runs a handler. Other outcomes pass through it.
  ///   - context: where the handler runs. `nil` if the body runs no handler.
  @inline(never)
  final func prepare(
    _ body: ReactionBody, for target: AnyPromise?, on context: (any ExecutionContext)?,
    handling traits: Reaction.Traits
  ) -> ReactionBody {
    target?.joinScope(of: self)
    guard context != nil else { return body }
    let captured = Diagnostics.captureContext().map { $0.carried(into: body, handling: traits) } ?? body
    guard let scope = (target ?? self).scope else { return captured }
    return scope.carried(into: captured, handling: traits)
  }

  /// Returns the hook that runs in place of this hook.
  @inline(never)
  final func prepare<Input>(_ hook: @escaping @Sendable (Input) -> Void) -> @Sendable (Input) -> Void {
    let captured = Diagnostics.captureContext().map { $0.carried(into: hook) } ?? hook
    return scope.map { $0.carried(into: captured) } ?? captured
  }
}

extension HandlerContext {
  fileprivate func carried(into body: ReactionBody, handling traits: Reaction.Traits) -> ReactionBody {
    ReactionBody { from, to in
      guard traits.contains(from.relaxedState.isRejected ? .error : .value) else { return body(from, to) }
      let verdict = runOnce { body(from, to) }
      guard case .awaits(let operation) = verdict else { return verdict }
      return .awaits { await runOnce(awaiting: operation) }
    }
  }

  fileprivate func carried<Input>(into hook: @escaping @Sendable (Input) -> Void) -> @Sendable (Input) -> Void {
    { input in runOnce { hook(input) } }
  }

  /// Runs the body exactly once, even if the context calls it more than once or not at all.
  func runOnce<Result>(_ body: () -> Result) -> Result {
    var result: Result?
    run { if result == nil { result = body() } }
    return result ?? body()
  }

  func runOnce<Result>(awaiting body: @Sendable () async -> Result) async -> Result {
    var result: Result?
    await run(awaiting: { if result == nil { result = await body() } })
    if let result { return result }
    return await body()
  }
}
