import PromiseCombinators

/// The client on whose behalf code runs, as task-local values.
enum Client {
  @TaskLocal static var name = "none"

  /// The name that the tracing hook of ``TraceContext`` captures.
  @TaskLocal static var trace: String?
  /// The client whose trace the hook has restored. Only the hook binds it, so no Task inherits it from its caller.
  @TaskLocal static var restoredTrace: String?

  /// Runs a body with the values of a client.
  static func run<Result>(as client: String, _ body: () throws -> Result) rethrows -> Result {
    try $name.withValue(client) { try $trace.withValue(client, operation: body) }
  }

  /// The values that the running code sees. These are the task-local name and, behind a slash, the trace that the hook
  /// has restored.
  static var seen: String { restoredTrace.map { "\(name)/\($0)" } ?? name }
}

/// The context that a tracing library captures for a client.
struct TraceContext: CarriedContext {
  let client: String

  func run(_ handler: () -> Void) {
    Client.$trace.withValue(client) { Client.$restoredTrace.withValue(client, operation: handler) }
  }

  nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await Client.$trace.withValue(client) {
      await Client.$restoredTrace.withValue("\(client), async") { await handler() }
    }
  }

  /// Captures the context of the client on whose behalf code runs.
  static let capture: @Sendable () -> (any CarriedContext)? = { Client.trace.map(Self.init) }
}
