/// Values that are carried from the place where a handler is attached to the place where it runs, such as the span of a
/// trace, a logger, or the identity of a request (rule 8.3).
///
/// A tracing library sets the closure that captures them with ``Diagnostics/carryContext(_:)``.
public protocol HandlerContext: Sendable {
  /// Calls the handler on the calling thread, with the context in place.
  ///
  /// An implementation calls the handler once, before it returns, for example by
  /// `Span.$current.withValue(span) { handler() }`. If it does not call the handler, the library calls it afterwards,
  /// without the context.
  func run(_ handler: () -> Void)

  /// Calls an async handler with the context in place. The default calls it without the context.
  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async
}

extension HandlerContext {
  /// Calls the handler without the context.
  public nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await handler()
  }
}

extension Diagnostics {
  private static let capture = HookSlot<@Sendable () -> (any HandlerContext)?>()

  /// Sets the closure that captures a context for each handler.
  ///
  /// The closure is called whenever a link, an observer or ``Deferred/onCancel(_:)`` attaches a handler, and whenever an
  /// operator, such as a gate, `retry` or a lazy promise, is given a closure. It is called on the thread of that call,
  /// inside the call. The handler then runs inside ``HandlerContext/run(_:)`` of the captured context. If the closure
  /// returns `nil`, the handler runs without a context. Setting `nil` ends the capturing. Handlers that were attached
  /// before keep their contexts.
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
  /// Meant for the program, or for the only tracing library in it, because the previous closure is replaced.
  ///
  /// May be called at any time, from any thread. The closure applies to handlers that are attached afterwards.
  ///
  /// - Returns: the closure that was set before.
  /// - Complexity: O(1). While a closure is set, each handler needs one or two more allocations. While none is set, it
  ///   needs one load.
  @discardableResult
  public static func carryContext(
    _ capture: (@Sendable () -> (any HandlerContext)?)?
  ) -> (@Sendable () -> (any HandlerContext)?)? {
    let old = self.capture.replace(by: capture)
    carriesContext = self.capture.current != nil
    return old
  }

  /// Returns a context for a handler that is being attached.
  static func captureContext() -> (any HandlerContext)? { carriesContext ? capture.current?() : nil }
}
