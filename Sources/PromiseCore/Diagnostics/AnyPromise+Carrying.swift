extension AnyPromise {
  /// Returns the body that runs in place of this body, for an entry that is about to be attached to this promise while
  /// diagnostics are active. No other thread knows the entry yet.
  ///
  /// - Parameter context: where the handler runs. `nil` if the body runs no handler.
  @inline(never)
  final func prepare(
    _ body: consuming HandlerBody?, for entry: AnyPromise, on context: (any ExecutionContext)?
  ) -> HandlerBody? {
    let traits = entry.traits
    if !traits.contains(.isObserver), entry !== self { entry.joinScope(of: self) }
    let record = entry.enroll(from: entry === self ? nil : self, on: context)
    guard context != nil, let body else { return body }
    let scope = (traits.contains(.isObserver) ? self : entry).scope
    if traits.contains(.forks) {
      entry.replaceValueBody { $0.carried(handling: .value, in: scope, recordedBy: record) }
    }
    return body.carried(handling: traits.contains(.forks) ? .error : traits, in: scope, recordedBy: record)
  }

  /// Returns the hook that runs in place of this hook.
  @inline(never)
  final func prepare<Input>(_ hook: @escaping @Sendable (Input) -> Void) -> @Sendable (Input) -> Void {
    let captured = Diagnostics.captureContext().map { $0.carried(into: hook) } ?? hook
    return scope.map { $0.carried(into: captured) } ?? captured
  }
}

extension HandlerBody {
  /// The body that runs with the context that is captured now, and in a scope.
  fileprivate func carried(
    handling traits: Traits, in scope: DiagnosticsScope?, recordedBy record: HandlerRecord?
  ) -> HandlerBody {
    let recorded = record.map { $0.recording(self, handling: traits) } ?? self
    let captured = Diagnostics.captureContext().map { $0.carried(into: recorded, handling: traits) } ?? recorded
    return scope.map { $0.carried(into: captured, handling: traits) } ?? captured
  }
}

extension HandlerContext {
  fileprivate func carried(into body: HandlerBody, handling traits: Traits) -> HandlerBody {
    HandlerBody { from, to in
      guard traits.handles(from.relaxedState) else { return body(from, to) }
      let result = runOnce { body(from, to) }
      guard case .awaits(let operation) = result else { return result }
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
