import Dispatch
public import PromiseCore

/// Selects the main actor as the context of handlers. The closures of `on: .main` are `@MainActor`, and the compiler
/// checks them as such.
///
/// It is a type of its own, and not an ``/PromiseCore/ExecutionContext``, because closures on it may access the state
/// of the main actor. Handlers run in the order in which they were scheduled (rule 2.2).
public struct MainContext: Sendable {
  init() {}

  /// The main actor. Handlers may access `@MainActor` state.
  public static let main = MainContext()

  /// The execution context that schedules the handlers.
  @usableFromInline package static var context: any ExecutionContext {
    Diagnostics.executionTestEnvironment?.mainContext ?? DispatchQueue.sharedMain
  }

  /// Runs a handler in a job of ``context``.
  @_alwaysEmitIntoClient
  package static func assumeIsolated<Result: Sendable>(_ handler: @MainActor () throws -> Result) rethrows -> Result {
    guard isInTestEnvironment else { return try MainActor.assumeIsolated(handler) }
    // Safe, because a test environment runs the jobs of its main context one at a time, so they are isolated from each
    // other as on the main actor. The cast only removes `@MainActor` from the type of the closure.
    return try withoutActuallyEscaping(handler) { try unsafe unsafeBitCast($0, to: (() throws -> Result).self)() }
  }

  /// Returns an async handler that does not begin if its link is settled while the main actor is busy (rule 2.5).
  ///
  /// Never specialised, as the async functions of the links in PromiseCore.
  @_alwaysEmitIntoClient @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  static func unlessSettled<Input: Sendable, Output: Sendable>(
    _ handler: @escaping @MainActor (Input) async throws -> Output
  ) -> @MainActor (Input) async throws -> Output {
    { input in
      try checkIsWanted()
      return try await handler(input)
    }
  }

  @usableFromInline static func checkIsWanted() throws { try AsyncHandler.checkIsWanted() }

  @usableFromInline static var isInTestEnvironment: Bool { Diagnostics.executionTestEnvironment != nil }
}
