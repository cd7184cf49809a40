public import Dispatch

/// The main actor as a context: the closures of `on: .main` are `@MainActor`, and the compiler checks them as such.
///
/// It is a type of its own, not an ``ExecutionContext``, because it changes what a closure may touch. Handlers run in the
/// order in which they were scheduled (rule 2.2).
public struct MainContext: Sendable {
  init() {}

  /// The main actor: handlers may touch what is `@MainActor`.
  public static let main = MainContext()

  /// What schedules the handlers. Kept: where Dispatch is no part of the system, each `DispatchQueue.main` is an object of its own,
  /// with an identity of its own, and handlers of one settlement would not travel together (rule 2.2).
  @usableFromInline static let queue = DispatchQueue.main
}
