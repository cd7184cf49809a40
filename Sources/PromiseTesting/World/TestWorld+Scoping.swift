import PromiseCore

extension TestWorld {
  /// Runs code in this world: what it does not name is the world's. Handlers still run only when the world is told to run them.
  ///
  /// May be called as often as wanted, from any thread.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result { try scope.bind(body) }

  /// Runs async code in this world, and the world as long as it takes: when the code waits, what is ready runs, and if
  /// nothing is, the time moves to the next timer.
  ///
  /// The code is a Task, whose parts are steps of the world in the calling thread; it has the caller's task-local
  /// values. It must await nothing but what happens in the world: not the main actor, nor an actor that has an executor
  /// of its own, nor a `Task` that it makes without ``taskExecutor``, nor the system.
  ///
  /// - Throws: what the code throws; ``WaitError`` if it still waits when nothing is left that could happen. Its Task is
  ///   cancelled then.
  public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Locked<Result<Value, any Error>?>(nil)
    let task = scope.bind {
      Task(executorPreference: taskExecutor) {
        do {
          let value = try await body()
          outcome.withLock { $0 = .success(value) }
        } catch {
          outcome.withLock { $0 = .failure(error) }
        }
      }
    }
    let ending = Result { try runSteps(within: nil, while: { outcome.withLock { $0 == nil } }) }
    if let result = outcome.withLock(\.self) { return try result.get() }
    let pending = census.promises.filter(\.isPending).prefix(3).map(\.line)
    task.cancel()
    runUntilIdle()
    // It may go on when what it waits for has happened, without this world.
    end()
    _ = try ending.get()
    throw WaitError.codeStuck(pending: pending)
  }

  /// Makes a world, runs a test in it, then what is ready, and checks what it leaves behind: see ``verify(_:)``. Then
  /// the world ends, and lets go of everything that waits in it.
  ///
  /// - Parameters:
  ///   - checks: what must not be left behind.
  ///   - body: the test, in the world. What it returns had better be no promise of the world: that is still alive.
  /// - Throws: what the test throws, or else a ``WorldReport``.
  public static func run<Result>(
    checking checks: Checks = .all, _ body: (TestWorld) throws -> Result
  ) throws -> Result {
    try TestWorld().runToItsEnd(checking: checks) { world in try world.run { try body(world) } }
  }

  /// As ``run(checking:_:)->Result``, with async code: see ``run(_:)->Value``.
  public static func run<Value: Sendable>(
    checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Value
  ) throws -> Value {
    try TestWorld().runToItsEnd(checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Runs a test, then what is ready, and checks what is left.
  func runToItsEnd<Result>(checking checks: Checks, _ test: (TestWorld) throws -> Result) throws -> Result {
    defer { end() }
    let result = try test(self)
    runUntilIdle()
    try verify(checks)
    return result
  }

  /// Something that happens while other things do: it is ready at once, and may come before or after all else that is.
  /// So ``explore(schedules:seed:checking:_:)-18960`` finds the worst moment for it.
  ///
  /// ```swift
  /// world.sometime("late") { all.cancel() }
  /// ```
  ///
  /// A schedule names it by `name`.
  public func sometime(_ name: String, _ action: @escaping @Sendable () -> Void) {
    outside.add(name, action)
  }
}
