import TestSupport

/// The ways to say where the handlers of links and observers run.
package enum Family: CaseIterable, Sendable {
  /// `on:` any context: PromiseCore's own, to compare the others with.
  case core
  /// Without `on:`.
  case pool
  /// `on: .main`
  case main
  /// `isolatedTo:`
  case actor
  /// The views of `promise.on(…)`.
  case onContext, onMain, onActor

  /// Where handlers run. Async ones run in a Task, which is nowhere in particular, unless an actor is named.
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
