import Dispatch
public import PromiseCore

/// The main actor as a context: the closures of `on: .main` are `@MainActor`, and the compiler checks them as such.
///
/// It is a type of its own, not an ``/PromiseCore/ExecutionContext``, because it changes what a closure may touch. Handlers run in the
/// order in which they were scheduled (rule 2.2).
public struct MainContext: Sendable {
  init() {}

  /// The main actor: handlers may touch what is `@MainActor`.
  public static let main = MainContext()

  /// What schedules the handlers.
  @usableFromInline package static var context: any ExecutionContext {
    Diagnostics.executionTestEnvironment?.mainContext ?? DispatchQueue.sharedMain
  }

  /// Runs a handler that ``context`` has brought here.
  @inlinable
  package static func assumeIsolated<Result: Sendable>(_ handler: @MainActor () throws -> Result) rethrows -> Result {
    guard isInTestEnvironment else { return try MainActor.assumeIsolated(handler) }
    // Safe: in a world, what runs on its main context has the place of the main actor, whatever the thread.
    return try withoutActuallyEscaping(handler) { try unsafe unsafeBitCast($0, to: (() throws -> Result).self)() }
  }

  @usableFromInline static var isInTestEnvironment: Bool { Diagnostics.executionTestEnvironment != nil }
}
