import TestSupport

/// The ways to specify where the handlers of links and observers run.
package enum Family: CaseIterable, Sendable {
  /// `on:` with any context, as in PromiseCore. Tests compare the other families with this one.
  case core
  /// No `on:`.
  case pool
  /// `on: .main`.
  case main
  /// `isolatedTo:`.
  case actor
  /// The views of `promise.on(…)`.
  case onContext, onMain, onActor

  /// Returns where handlers run. An async handler runs in a Task, which has no particular place unless the call names
  /// an actor.
  package func place(isAsync: Bool) -> Place {
    switch self {
    case .core: isAsync ? .elsewhere : .test
    case .pool: .elsewhere
    case .main, .onMain: .main
    case .actor, .onActor: .actor
    case .onContext: isAsync ? .elsewhere : .queue
    }
  }
}
