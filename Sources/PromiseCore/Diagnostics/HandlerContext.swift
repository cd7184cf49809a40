/// What is carried from where a handler is attached to where it runs: a trace's span, a logger, a request's identity
/// (rule 8.3; reference row N10).
///
/// A tracing library captures one with ``Diagnostics/carryContext(_:)``.
public protocol HandlerContext: Sendable {
  /// Calls the handler, in the calling thread, with the context in place.
  ///
  /// To be called once, before this returns: for instance `Span.$current.withValue(span) { handler() }`. If it is not
  /// called, it is called afterwards, without the context.
  func run(_ handler: () -> Void)

  /// The same, for an async handler. The default runs it without the context.
  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async
}

extension HandlerContext {
  /// Runs the handler without the context.
  public nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await handler()
  }
}

extension Diagnostics {
  private static let capture = HookSlot<@Sendable () -> (any HandlerContext)?>()

  /// Sets what is asked for a context whenever a handler is attached, by a link, by an observer or with
  /// ``Deferred/onCancel(_:)``: in the thread that attaches it, before that call returns. The handler then runs inside
  /// the context's ``HandlerContext/run(_:)``. `nil` from the closure: that handler needs none. `nil` for the closure:
  /// none does any more; those that are attached keep theirs.
  ///
  /// ```swift
  /// struct SpanContext: HandlerContext {
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
  /// Meant for the program, or the one tracing library in it: the one before is replaced, and returned.
  ///
  /// May be called at any time, from any thread; applies to what is attached from then on.
  ///
  /// - Complexity: O(1). While it is set, each handler takes an allocation or two more; while not, a load.
  @discardableResult
  public static func carryContext(
    _ capture: (@Sendable () -> (any HandlerContext)?)?
  ) -> (@Sendable () -> (any HandlerContext)?)? {
    let old = self.capture.replace(by: capture)
    carriesContext = self.capture.current != nil
    return old
  }

  /// A context for a handler that is being attached.
  static func captureContext() -> (any HandlerContext)? { carriesContext ? capture.current?() : nil }
}
