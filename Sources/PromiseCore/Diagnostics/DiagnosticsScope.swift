extension Diagnostics {
  /// Runs the closure with hooks for the promises that are made in it. These replace the hooks of the process, so that
  /// tests can run in parallel.
  ///
  /// ```swift
  /// let log = Log<UnhandledRejection>()
  /// Diagnostics.scoped(unhandledRejection: log.append) { _ = Promise<Int>.rejected(MyError()) }
  /// #expect(log.entries.count == 1)
  /// ```
  ///
  /// A promise is made in the scope if it is made by the closure itself or by a Task that the closure creates. A
  /// promise is also made in the scope if it is derived from such a promise by a link, at any place and time, or made
  /// by the handler of such a link. The hooks are also called after this call has returned, on the thread that makes
  /// the report. The promises retain the hooks.
  ///
  /// For a hook that is omitted, the hook of the enclosing scope is used, or else that of the process.
  ///
  /// - Parameters:
  ///   - unhandledRejection: as in ``onUnhandledRejection(_:)`` (rule 7.1).
  ///   - secondSettlement: as in ``onSecondSettlement(_:)`` (rule 1.3).
  ///   - unstoppedWork: as in ``onUnstoppedWork(_:)`` (rule 4.4).
  ///   - body: makes the promises.
  /// - Complexity: O(1). While any scope is in use, every new promise looks up its scope, and each promise in a scope
  ///   has a side table.
  public static func scoped<Result>(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)? = nil,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)? = nil,
    unstoppedWork: (@Sendable (UnstoppedWork) -> Void)? = nil,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = DiagnosticsScope.current
    let scope = DiagnosticsScope(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, unstoppedWork: unstoppedWork,
      in: outer)
    return try scope.bind(body)
  }

  /// Runs an async closure with hooks for the promises that are made in it. The closure runs on the caller's actor.
  /// Otherwise as ``scoped(unhandledRejection:secondSettlement:unstoppedWork:_:)-55re6``.
  public nonisolated(nonsending) static func scoped<Result>(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)? = nil,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)? = nil,
    unstoppedWork: (@Sendable (UnstoppedWork) -> Void)? = nil,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let outer = DiagnosticsScope.current
    let scope = DiagnosticsScope(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, unstoppedWork: unstoppedWork,
      in: outer)
    return try await scope.bind(body)
  }
}

/// The hooks for the promises that are made inside a call of `Diagnostics.scoped`, or in a test environment. The
/// promises retain their scope.
package final class DiagnosticsScope: Sendable {
  /// The scope of the running code, if any.
  @TaskLocal package static var current: DiagnosticsScope?

  let unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?
  let secondSettlement: (@Sendable (SecondSettlement) -> Void)?
  let unstoppedWork: (@Sendable (UnstoppedWork) -> Void)?

  // Weak, so that promises that outlive their test or their recording do not retain its environment or its recorder.
  //
  // Safe, because they are only written before other threads know the scope. The runtime clears them atomically.
  nonisolated(unsafe) private weak var weakEnvironment: (any TestEnvironment)?
  nonisolated(unsafe) private weak var weakRecorder: (any PromiseRecorder)?
  /// Whether the scope was made with a recorder, even if that was deallocated since.
  private let isRecorded: Bool

  var testEnvironment: (any TestEnvironment)? { unsafe weakEnvironment }
  /// Records the promises of the scope.
  package var recorder: (any PromiseRecorder)? { unsafe weakRecorder }

  /// Creates a scope inside another scope. The outer scope provides the test environment, and the hooks that are `nil`
  /// here.
  @inline(never)
  init(
    unhandledRejection: (@Sendable (UnhandledRejection) -> Void)?,
    secondSettlement: (@Sendable (SecondSettlement) -> Void)?, unstoppedWork: (@Sendable (UnstoppedWork) -> Void)?,
    recorder: (any PromiseRecorder)? = nil, in outer: DiagnosticsScope?
  ) {
    self.unhandledRejection = unhandledRejection ?? outer?.unhandledRejection
    self.secondSettlement = secondSettlement ?? outer?.secondSettlement
    self.unstoppedWork = unstoppedWork ?? outer?.unstoppedWork
    let recorder = recorder ?? outer?.recorder
    isRecorded = recorder != nil
    unsafe weakRecorder = recorder
    unsafe weakEnvironment = outer?.testEnvironment
    if isRecorded { Diagnostics.recordingBegan() }
    Diagnostics.scopeBegan()
  }

  /// Creates a scope that is not inside another.
  package convenience init(
    unhandledRejection: @escaping @Sendable (UnhandledRejection) -> Void,
    secondSettlement: @escaping @Sendable (SecondSettlement) -> Void,
    unstoppedWork: @escaping @Sendable (UnstoppedWork) -> Void = { _ in }, recorder: (any PromiseRecorder)? = nil
  ) {
    self.init(
      unhandledRejection: unhandledRejection, secondSettlement: secondSettlement, unstoppedWork: unstoppedWork,
      recorder: recorder, in: nil)
  }

  /// Sets the test environment, which owns this scope. Called before other code knows the scope.
  package func setTestEnvironment(_ environment: any TestEnvironment) { unsafe weakEnvironment = environment }

  /// Creates a scope with a recorder inside that of the running code.
  package convenience init(recorder: any PromiseRecorder) {
    self.init(
      unhandledRejection: nil, secondSettlement: nil, unstoppedWork: nil, recorder: recorder, in: Self.current)
  }

  deinit {
    if isRecorded { Diagnostics.recordingEnded() }
    Diagnostics.scopeEnded()
  }

  /// Runs a body in this scope.
  package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: body)
  }

  /// Runs a step of the test environment in this scope, as a thread of its own would.
  ///
  /// The code that runs the step may be inside a hook or a release, and may wait for what the step does. So hooks and
  /// settlements that the step causes must not be left to that code (``UnnestedWork``).
  package func runStep<Result>(_ step: () throws -> Result) rethrows -> Result {
    try UnnestedWork.withoutOuterQueue { try bind(step) }
  }

  /// Runs a body that may suspend in this scope.
  package nonisolated(nonsending) func bind<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: body)
  }
}

extension DiagnosticsScope: CarriedContext {
  package func run(_ handler: () -> Void) { bind(handler) }

  package nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
    await bind(handler)
  }
}

extension AnyPromise {
  /// Adds this promise, which no other thread knows yet, to the scope of the running code.
  @inline(never)
  final func joinScope() {
    if let scope = DiagnosticsScope.current { join(scope) }
  }

  /// Adds this promise, which is derived from `source` and which no other thread knows yet, to the scope of `source`,
  /// unless it has a scope.
  @inline(never)
  final func joinScope(of source: AnyPromise) {
    if scope == nil, let scope = source.scope { join(scope) }
  }

  private func join(_ scope: DiagnosticsScope) {
    locked { sideTable.scope = scope }
    scope.testEnvironment?.didCreate(self)
  }

  /// The scope in which this promise was made, or in which a promise was made from which it was derived.
  final var scope: DiagnosticsScope? { locked { side?.scope } }
}

/// A replacement for the environment of the code under test. It is notified of every promise that is made in it, and
/// provides the executor of Tasks.
///
/// A ``DiagnosticsScope`` binds the environment to a call, or to a Task and its children. Promises that are made in the
/// environment bind it again for their handlers.
package protocol TestEnvironment: AnyObject, Sendable {
  /// The executor of the library's own Tasks, which are those of `Promise.task`, of async handlers, and of handlers on
  /// actors.
  var executor: any TestTaskExecutor { get }

  /// Where owners' hooks run that no call of `cancel` runs (rule 4.5).
  var hookContext: any ExecutionContext { get }

  /// Called when a promise was made here, on the thread that made it, before any other thread knows the promise, and
  /// under no lock.
  ///
  /// From now on other threads may read the state of the promise. They must not read the fields of its link, because
  /// these may not be set yet.
  func didCreate(_ promise: AnyPromise)

  /// Called before a Task starts that settles a promise made here and whose closure is isolated to an actor.
  func willRunTask(settling promise: AnyPromise, on actor: any Actor)
}

extension TestEnvironment {
  /// Does nothing.
  package func willRunTask(settling promise: AnyPromise, on actor: any Actor) {}
}

extension Diagnostics {
  /// The test environment of the calling code, if any.
  ///
  /// While no scope of any kind is in use, this is one load.
  package static var testEnvironment: (any TestEnvironment)? {
    isActive ? DiagnosticsScope.current?.testEnvironment : nil
  }
}

/// The task executor of a test environment.
package protocol TestTaskExecutor: TaskExecutor {
  /// Returns an executor that runs Tasks as this executor does, and whose Tasks are named by the creation site in
  /// reports.
  func naming(_ site: CreationSite?) -> any TaskExecutor
}
