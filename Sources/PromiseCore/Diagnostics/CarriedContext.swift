/// Values that are carried from the place where a handler is attached to the place where it runs, such as the span of a
/// trace, a logger, or the identity of a request (rule 8.3).
///
/// A tracing library sets the closure that captures them with ``Diagnostics/carryContext(_:)``.
public protocol CarriedContext: Sendable {
  /// Calls the handler on the calling thread, with the context in place.
  ///
  /// It may be called inside a call that settles a promise, and on the thread of a timer, because some operators run
  /// functions of their own there. So an implementation takes no lock that an owner of a promise holds (rule 2.1).
  ///
  /// An implementation calls the handler once, before it returns, for example by
  /// `Span.$current.withValue(span) { handler() }`. If it does not call the handler, the library calls it afterwards,
  /// without the context.
  func run(_ handler: () -> Void)

  /// Calls an async handler with the context in place. The default calls it without the context.
  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async
}

extension CarriedContext {
  /// Calls the handler without the context.
  public nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await handler()
  }
}

extension Diagnostics {
  private static let capture = HookSlot<@Sendable () -> (any CarriedContext)?>()

  /// Sets the closure that captures a context for each handler.
  ///
  /// The closure is called whenever a link, an observer or ``Deferred/onCancel(_:)`` attaches a handler, and whenever
  /// an operator, such as a gate, `retry` or a lazy promise, is given a closure. It is called on the thread of that
  /// call, inside the call. The handler then runs inside ``CarriedContext/run(_:)`` of the captured context. If the
  /// closure returns `nil`, the handler runs without a context. Setting `nil` ends the capturing. Handlers that were
  /// attached before keep their contexts.
  ///
  /// ```swift
  /// struct SpanContext: CarriedContext {
  ///   let span = Span.current
  ///   func run(_ handler: () -> Void) { Span.$current.withValue(span) { handler() } }
  ///   nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
  ///     await Span.$current.withValue(span) { await handler() }
  ///   }
  /// }
  ///
  /// Diagnostics.carryContext { SpanContext() }
  /// ```
  ///
  /// Meant for the program, or for the only tracing library in it, because the previous closure is replaced.
  ///
  /// May be called at any time, from any thread. The closure applies to handlers that are attached afterwards.
  ///
  /// - Returns: the closure that was set before.
  /// - Complexity: O(1). While a closure is set, each handler needs one or two more allocations. While none is set, it
  ///   needs one load.
  @discardableResult
  public static func carryContext(
    _ capture: (@Sendable () -> (any CarriedContext)?)?
  ) -> (@Sendable () -> (any CarriedContext)?)? {
    self.capture.change { _ in
      carriesContext = capture != nil
      return capture
    }
  }

  /// Returns a context for a handler that is being attached.
  static func captureContext() -> (any CarriedContext)? { carriesContext ? capture.current?() : nil }
}

/// The context that was captured at a call which has brought a closure, for an operator that calls the closure later
/// (rule 8.3). A link captures the context of its handler itself.
package struct CapturedContext: Sendable {
  private let context: (any CarriedContext)?

  /// Captures the context of the calling code.
  package init() { context = Diagnostics.captureContext() }

  /// Whether no context was captured.
  package var isEmpty: Bool { context == nil }

  /// Calls the body once, with the context in place.
  package func run<Value>(_ body: () -> Value) -> Value {
    if let context { context.runOnce(body) } else { body() }
  }

  /// Calls the async body once, with the context in place.
  package func run<Value: Sendable>(awaiting body: @Sendable () async throws -> Value) async throws -> Value {
    guard let context else { return try await body() }
    return try await context.runOnce(awaiting: {
      do { return Result<Value, any Error>.success(try await body()) } catch { return .failure(error) }
    }).get()
  }
}

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
    // The maker of an owner has no scope itself, and neither has a promise that was made outside the scope.
    let scope = (traits.contains(.isObserver) ? self : entry).scopeOfHandlers ?? DiagnosticsScope.current
    if traits.contains(.forks) {
      entry.replaceValueBody { $0.carried(in: scope, recordedBy: record) }
    }
    return body.carried(in: scope, recordedBy: record)
  }

  /// The scope for handlers that are attached to this promise now. `nil` if the promise has none. It is that of the
  /// running code if that is in another test world, because the context of the handler then belongs to that world.
  private final var scopeOfHandlers: DiagnosticsScope? {
    guard let scope else { return nil }
    let current = DiagnosticsScope.current
    guard let world = current?.testEnvironment, world !== scope.testEnvironment else { return scope }
    return current
  }

  /// Returns the hook that runs in place of this hook.
  @inline(never)
  final func prepare<Input>(_ hook: @escaping @Sendable (Input) -> Void) -> @Sendable (Input) -> Void {
    let captured = Diagnostics.captureContext().map { $0.carried(into: hook) } ?? hook
    return scopeOfHandlers.map { $0.carried(into: captured) } ?? captured
  }
}

extension HandlerBody {
  /// The body that runs with the context that is captured now, and in a scope.
  fileprivate func carried(in scope: DiagnosticsScope?, recordedBy record: HandlerRecord?) -> HandlerBody {
    let recorded = record.map { $0.recording(self) } ?? self
    let captured = Diagnostics.captureContext().map { $0.carried(into: recorded) } ?? recorded
    return scope.map { $0.carried(into: captured) } ?? captured
  }
}

extension CarriedContext {
  fileprivate func carried(into body: HandlerBody) -> HandlerBody {
    HandlerBody { from, to in
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
