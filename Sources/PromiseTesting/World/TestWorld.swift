public import PromiseContexts
package import PromiseCore

/// A world of its own for the code of a test: it has the contexts and the time, and nothing happens in it before the
/// test says so.
///
/// ```swift
/// @Test func asksOnlyAfterAPause() throws {
///   try TestWorld.run { world in
///     let questions = Log<String>()
///     let search = Search { text in
///       questions.append(text)
///       return .fulfilled(["b", "a"])
///     }
///     let hits = search.hits(for: "letters")
///     world.advance(by: .milliseconds(299))
///     #expect(questions.entries.isEmpty)
///     world.advance(by: .milliseconds(1))
///     #expect(questions.entries == ["letters"])
///     let found = try world.run(until: hits)
///     #expect(found == ["a", "b"])
///   }
/// }
/// ```
///
/// ## What is in the world
/// What code in ``run(_:)->Result`` does not name: links without a context and `.pool`, `.main`, timers of timeouts and delays;
/// and Tasks that the library makes, for async links, `Promise.task`, `.task(priority:)` and handlers on actors, those
/// that have an executor of their own excepted. What handlers in the world make belongs to it too. Contexts that code
/// gets from outside are ``main``, ``pool``, or made by ``serial(_:)`` and ``concurrent(_:)``; a clock is ``clock``.
/// Handlers on real queues run where they always do.
///
/// ## What happens when
/// Calls of the world run what is ready, in the thread that calls: ``step()``, ``runUntilIdle()``, ``advance(by:)``,
/// ``run(until:within:)``. They run what has waited longest, on whatever context, so that every run of a test is the
/// same; ``explore(schedules:seed:checking:_:)-18960`` tries other orders. Time moves only when nothing is ready: handlers
/// take none.
///
/// All that may be called from any thread, also from a handler that runs in the world. One thread at a time runs what
/// is ready; another that wants to waits for it.
public final class TestWorld: Sendable {
  /// The main actor's place: links on `.main` run here, in the thread that runs the world's steps.
  ///
  /// What their handlers call may check by itself that this is the main thread, and then will stop the program: run the
  /// world on the main actor if it does.
  public let main: TestContext

  /// The pool's: links without a context run here, in any order.
  public let pool: PoolContext

  /// The world's time.
  public let clock: TestClock

  /// Where Tasks run, in steps of the world: `Task(executorPreference: world.taskExecutor) { … }`.
  public let taskExecutor: any TaskExecutor

  /// What comes from outside.
  let outside: TestContext

  let agenda = Agenda()
  let turn: Turn
  let census = Census()
  let findings = Findings()
  let scope: DiagnosticsScope
  let stepLimit: Int

  /// - Parameter stepLimit: how many steps one call may run. One that would run for ever ends there, and ``verify(_:)``
  ///   says so.
  public convenience init(stepLimit: Int = 1_000_000) { self.init(stepLimit: stepLimit, patience: .seconds(60)) }

  /// - Parameter patience: how long one thread waits for another that runs a step.
  package init(stepLimit: Int = 1_000_000, patience: Duration) {
    self.stepLimit = stepLimit
    turn = Turn(patience: patience)
    main = TestContext("main", isSerial: true, on: agenda, turn: turn)
    pool = PoolContext(runningOn: TestContext("pool", isSerial: false, on: agenda, turn: turn))
    clock = TestClock(on: agenda)
    taskExecutor = WorldExecutor(on: agenda)
    outside = TestContext("sometime", isSerial: false, on: agenda, turn: turn)
    scope = DiagnosticsScope(
      unhandledRejection: { [findings] in findings.add($0) }, secondSettlement: { [findings] in findings.add($0) })
    scope.surround(by: self)
  }

  deinit { end() }

  /// Ends the world: everything that waits here is let go, which rejects its promises (rule 6.2), and what comes later
  /// is refused. Tasks go on without it.
  ///
  /// A world ends by itself when nobody holds it, and ``run(checking:_:)->Result`` ends its own. Handlers and timers that wait
  /// may hold it, if they use it: then it is to be ended by hand.
  public func end() { agenda.close() }

  /// A context of the world that runs one job at a time, in the order in which they come.
  ///
  /// - Parameter name: as reports say it.
  public func serial(_ name: String) -> TestContext { TestContext(name, isSerial: true, on: agenda, turn: turn) }

  /// A context of the world of which any job may be next.
  ///
  /// - Parameter name: as reports say it.
  public func concurrent(_ name: String) -> TestContext { TestContext(name, isSerial: false, on: agenda, turn: turn) }

  /// The world that the calling code runs in.
  static var current: TestWorld? { Worlds.current as? TestWorld }
}

extension TestWorld: World {
  package var mainContext: any ExecutionContext { main }

  package var timers: any TimerContext { clock }

  package func wasMade(_ promise: AnyPromise) { census.add(promise) }

  package func willDerive(from source: AnyPromise) { census.add(outside: source) }

  package func willRunTask(settling promise: AnyPromise, on actor: any Actor) {
    if actor is MainActor { census.add(onMainActor: promise) }
  }
}
