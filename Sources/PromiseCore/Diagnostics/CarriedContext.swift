/// The context that was captured at a call which has brought a closure, for an operator that calls the closure later
/// (rule 8.3). A link captures the context of its handler itself.
package struct CarriedContext: Sendable {
  private let context: (any HandlerContext)?

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
