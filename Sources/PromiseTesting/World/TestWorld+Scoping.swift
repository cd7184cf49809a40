import PromiseCore
import PromiseWaiting

extension TestWorld {
  /// Runs code in this world. Handlers that the code attaches run when the world is told to run them.
  ///
  /// This may be called repeatedly, and from any thread.
  ///
  /// - Returns: the result of the closure.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result { try scope.bind(body) }

  /// Runs async code in this world, and the world until the code has returned. While the code waits, steps that are
  /// ready run. If none is ready, the time moves to the next timer.
  ///
  /// The code runs in a Task, whose parts are steps of the world in the calling thread. It has the caller's task-local
  /// values. It may await only what happens in the world. It must not await the main actor, an actor that has an
  /// executor of its own, a `Task` without ``taskExecutor``, or the system.
  ///
  /// - Returns: the result of the closure.
  /// - Throws: the error of the closure, or ``/PromiseWaiting/WaitError`` if the code still waits when nothing is left
  ///   that could happen. Its Task is cancelled then, and the world ended. In a world that has ended, the code does not
  ///   start, and the error is ``/PromiseWaiting/WaitError/worldEnded``.
  public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    // The code would run outside the world.
    if scheduler.withQueue(\.isClosed) { throw WaitError.worldEnded }
    let outcome = Locked<Result<Value, any Error>?>(nil)
    let task = scope.bind {
      Task(executorPreference: worldExecutor.naming(.text("the test"))) {
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
    let promises = registry.promises.filter(\.isPending)
    let pending = Diagnostics.causes(of: promises).lines(atMost: 8) + promises.prefix(3).map(\.line)
    let error: any Error = if case .failure(let error) = ending { error } else { WaitError.codeStuck(pending: pending) }
    noteThrowing(error)
    task.cancel()
    runUntilIdle()
    // A Task that waits for something outside the world continues there.
    end()
    throw error
  }

  /// Makes a world, runs a test in it, and then the steps that are ready. Checks that the test leaves nothing behind,
  /// as ``verify(_:)`` does. Then the world ends and releases everything that waits in it.
  ///
  /// An `#expect(try …)` in the closure needs a closure that is known to throw. Write `{ world throws in … }`, or
  /// `try #expect(…)`.
  ///
  /// - Parameters:
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test. A promise of the world that it returns is still alive at the check.
  /// - Returns: the result of the closure.
  /// - Throws: the error of the closure, or else a ``WorldReport``.
  public static func run<Result>(
    checking checks: Checks = .all, _ body: (TestWorld) throws -> Result
  ) throws -> Result {
    try TestWorld().runToItsEnd(checking: checks) { world in try world.run { try body(world) } }
  }

  /// Makes a world, and runs and checks an async test in it, as ``run(checking:_:)->Result`` does a synchronous one.
  /// The test runs as in ``run(_:)->Value``.
  public static func run<Value: Sendable>(
    checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Value
  ) throws -> Value {
    try TestWorld().runToItsEnd(checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Runs a test, then the events that still wait and the steps that are ready, checks that nothing is left behind, and
  /// ends the world.
  package func runToItsEnd<Result>(checking checks: Checks, _ test: (TestWorld) throws -> Result) throws -> Result {
    defer { end() }
    do {
      let result = try test(self)
      runWaitingEvents()
      try verify(checks)
      return result
    } catch {
      noteEnd(with: error)
      throw error
    }
  }

  /// Runs the events that still wait and the steps that are ready, and then the events that these have added.
  private func runWaitingEvents() {
    var count = 0
    var last: Int
    repeat {
      scheduler.withQueue { $0.endWaitingOfEvents() }
      last = runUntilIdle()
      count += last
      // If a turn has run nothing, another thread runs a step that does not end. The failure is recorded.
    } while last > 0 && count < stepLimit && scheduler.withQueue { !$0.events.isEmpty }
  }
}
