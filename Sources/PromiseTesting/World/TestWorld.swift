public import PromiseContexts
package import PromiseCore
import PromiseRecording

/// A test environment with its own contexts and its own time. Nothing happens in it until the test says so.
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
/// The world replaces the contexts and the clock that code in ``run(_:)->Result`` does not name. These are the context
/// of links without one, `.pool`, `.main`, the timers of timeouts and delays, and the executor of Tasks that the
/// library makes. Such Tasks are those of async links, `Promise.task`, `.task(priority:)` and handlers on actors,
/// except actors that have an executor of their own, such as the main actor. So the closure of an async link
/// `on: .main`, such as `asyncMap(on: .main)`, or `isolatedTo: MainActor.shared` runs on the real main actor, outside
/// the world. Promises that handlers in the world make belong to it, too. The random pauses of `Backoff.jittered()` are
/// the same in each run of a test. In an explored test, its seed determines them.
///
/// Code that takes its context from outside is given ``main``, ``pool``, or a context that ``serial(_:)`` or
/// ``concurrent(_:)`` makes. Code that takes a clock is given ``clock``. Handlers on real queues run on those queues,
/// outside the world.
///
/// ## What happens when
/// The methods ``step()``, ``runUntilIdle()``, ``advance(by:)`` and ``run(until:within:)`` run the steps that are
/// ready, in the calling thread. They run the step that has waited longest, on any context, so that every run of a test
/// is the same. ``explore(schedules:seed:checking:_:)-18960`` tries other orders. Time moves only when no step is
/// ready, so handlers take no time. Synchronous handlers see the task-local values of the code that runs the world. In
/// a program they see those of their thread, which normally has none.
///
/// These methods may be called from any thread, also from a handler that runs in the world. Only one thread at a time
/// runs the world. Another thread that calls such a method waits, at most for a minute. Then ``run(until:within:)``
/// throws ``/PromiseWaiting/WaitError/worldBusy``, and the others return and record a failure for ``verify(_:)``.
public final class TestWorld: Sendable {
  /// The replacement of the main actor. Handlers on `.main` run here, in the thread that runs the world's steps. Async
  /// closures, such as that of `asyncMap(on: .main)`, do not. They run on the real main actor, outside the world.
  ///
  /// Only one world at a time runs a step of its `main`, so handlers of tests that run beside each other may access the
  /// same state of the main actor. The real main thread is not excluded. If the code under test uses state of the main
  /// actor that this thread also uses, run the test on the main actor, or let no test run beside it (`.serialized`).
  ///
  /// Code that these handlers call may check that this is the main thread, and would stop the program. A test of such
  /// code must run its world on the main actor.
  public let main: TestContext

  /// The replacement of the pool. Handlers of links without a context run here, in any order.
  public let pool: PoolContext

  /// The world's time.
  public let clock: TestClock

  /// The executor that runs Tasks in steps of the world. A test's own Task prefers it with
  /// `Task(executorPreference: world.taskExecutor) { … }`.
  public let taskExecutor: any TaskExecutor

  /// The context on which actions of ``sometime(_:_:)`` run.
  let sometimeContext: TestContext

  let scheduler: Scheduler
  let worldExecutor: WorldExecutor
  let registry = ObjectRegistry()
  let findings = Findings()
  let scope: DiagnosticsScope
  /// Records the promises of an attempt that has failed before.
  let recorder: Recorder?
  package let failedRecording = Locked(FailedRecording())
  let stepLimit: Int

  /// Creates a world in which nothing has happened.
  ///
  /// - Parameter stepLimit: the number of steps that one call may run. A call that has more to run ends there. If it
  ///   throws errors of waits, as ``run(until:within:)`` does, it throws
  ///   ``/PromiseWaiting/WaitError/tooManySteps(_:)``. Otherwise ``verify(_:)`` reports it.
  public convenience init(stepLimit: Int = 1_000_000) { self.init(stepLimit: stepLimit, stepLockTimeout: .seconds(60)) }

  /// - Parameters:
  ///   - stepLockTimeout: the longest time for which a thread waits for another that runs a step of this world, or a
  ///     step on the `main` of another world.
  ///   - isRecording: whether the promises of the world are recorded.
  package init(
    stepLimit: Int = 1_000_000, stepLockTimeout: Duration = .seconds(60), isRecording: Bool = false
  ) {
    self.stepLimit = stepLimit
    scheduler = Scheduler(stepLock: StepLock(timeout: stepLockTimeout))
    recorder = isRecording ? Recorder(inTimeOf: scheduler) : nil
    main = TestContext("main", isSerial: true, isMain: true, on: scheduler)
    pool = PoolContext(runningOn: TestContext("pool", isSerial: false, on: scheduler))
    clock = TestClock(on: scheduler)
    worldExecutor = WorldExecutor(on: scheduler)
    taskExecutor = worldExecutor
    sometimeContext = TestContext("sometime", isSerial: false, on: scheduler)
    scope = DiagnosticsScope(
      unhandledRejection: { [findings] in findings.add($0) }, secondSettlement: { [findings] in findings.add($0) },
      unstoppedWork: { [findings] in findings.add($0) }, recorder: recorder ?? DiagnosticsScope.current?.recorder)
    scope.setTestEnvironment(self)
  }

  deinit { end() }

  /// Ends the world. Everything that waits in it is released, which rejects its promises (rule 6.2), and later work is
  /// refused. Tasks go on outside the world. Async code that is passed to ``run(_:)->Value`` later does not start.
  ///
  /// A world ends when its last reference is released, and ``run(checking:_:)->Result`` ends its own. Waiting handlers
  /// and timers that use the world retain it. Then a test must call this.
  public func end() { scheduler.close() }

  /// Returns a new context of the world that runs one job at a time, in the order in which they were scheduled.
  ///
  /// - Parameter name: the name of the context in reports.
  public func serial(_ name: String) -> TestContext { TestContext(name, isSerial: true, on: scheduler) }

  /// Returns a new context of the world that may run its jobs in any order.
  ///
  /// - Parameter name: the name of the context in reports.
  public func concurrent(_ name: String) -> TestContext { TestContext(name, isSerial: false, on: scheduler) }

  /// The world that the calling code runs in.
  static var current: TestWorld? { Diagnostics.executionTestEnvironment as? TestWorld }
}

extension TestWorld: ExecutionTestEnvironment {
  package var executor: any TestTaskExecutor { worldExecutor }

  package var mainContext: any ExecutionContext { main }

  package var timers: any TimerContext { clock }

  package func random() -> Double { scheduler.withQueue { $0.random() } }

  package func didCreate(_ promise: AnyPromise) { registry.add(promise) }

  package func willRunTask(settling promise: AnyPromise, on actor: any Actor) {
    if actor is MainActor { registry.add(onMainActor: promise) }
  }
}
