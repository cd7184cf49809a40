extension AnyPromise {
  /// Something is on: a link with this body is about to be attached to this promise. Returns the body to be used in its place.
  ///
  /// - Parameters:
  ///   - target: what the link derives, known to nobody else yet; `nil` for an observer.
  ///   - traits: for which outcomes the body runs a handler. For others it only passes them on.
  ///   - context: where; `nil`: it runs none.
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

  /// The same for a hook.
  @inline(never)
  final func prepare(_ hook: @escaping CancelHook) -> CancelHook {
    let captured = Diagnostics.captureContext().map { $0.carried(into: hook) } ?? hook
    return scope.map { $0.carried(into: captured) } ?? captured
  }
}

extension HandlerContext {
  fileprivate func carried(into body: ReactionBody, handling traits: Reaction.Traits) -> ReactionBody {
    ReactionBody { from, to in
      guard traits.contains(from.cellHint.isRejected ? .error : .value) else { return body(from, to) }
      let verdict = runOnce { body(from, to) }
      guard case .awaits(let operation) = verdict else { return verdict }
      return .awaits { await runOnce(awaiting: operation) }
    }
  }

  fileprivate func carried(into hook: @escaping CancelHook) -> CancelHook {
    { reason in runOnce { hook(reason) } }
  }

  /// Runs the body, once, however often the context calls it.
  private func runOnce<Result>(_ body: () -> Result) -> Result {
    var result: Result?
    run { if result == nil { result = body() } }
    return result ?? body()
  }

  private func runOnce(awaiting body: @Sendable () async -> Verdict) async -> Verdict {
    var result: Verdict?
    await run(awaiting: { if result == nil { result = await body() } })
    if let result { return result }
    return await body()
  }
}
