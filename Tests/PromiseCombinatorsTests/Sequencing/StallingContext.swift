import Dispatch
import PromiseCombinators
import TestSupport

/// A place where a thread stops until the test lets it continue, as if the system had descheduled the thread.
final class Stall: Sendable {
  private let begun = Gate()
  private let ended = Gate()

  /// Stops the calling thread.
  func stop() {
    begun.open()
    ended.wait("end of the stall")
  }

  /// Returns when a thread has stopped here.
  func wait() { begun.wait("stall") }

  /// Lets the thread continue.
  func end() { ended.open() }
}

/// A thread beside the thread of the test.
struct OtherThread {
  private let hasEnded = Gate()

  init(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "other thread").async { [hasEnded] in
      body()
      hasEnded.open()
    }
  }

  func join() { hasEnded.wait("end of the other thread") }
}

/// A context whose jobs run when the test runs them. The thread that schedules a job can be stopped after the context
/// has accepted the job.
final class StallingContext: ExecutionContext {
  private let jobs = ManualContext()
  private let next = Locked<Stall?>(nil)

  func schedule(_ job: consuming Job) {
    jobs.schedule(job)
    next.withLock { $0.take() }?.stop()
  }

  /// Returns the stall of the thread that schedules the next job.
  func stallNext() -> Stall {
    let stall = Stall()
    next.withLock { $0 = stall }
    return stall
  }

  /// Runs `count` jobs, or all jobs if there are fewer.
  func step(_ count: Int = 1) { for _ in 0..<count { jobs.step() } }
}

/// A test environment that can stop the thread that makes a promise before another thread knows the promise.
final class StallingWorld: ExecutionTestEnvironment {
  /// Runs the Tasks when the test steps it.
  let world = TestWorld()
  private let scope = DiagnosticsScope(unhandledRejection: { _ in }, secondSettlement: { _ in })
  private let next = Locked<(stall: Stall, promise: Int)?>(nil)

  var pool: PoolContext { world.pool }
  var mainContext: any ExecutionContext { world.main }
  var timers: any TimerContext { world.clock }
  var executor: any TestTaskExecutor { world.executor }

  init() { scope.setTestEnvironment(self) }

  func random() -> Double { world.random() }

  func run<Result>(_ body: () -> Result) -> Result { scope.bind(body) }

  /// Returns the stall of the thread that makes the promise with the given number, counted from 1.
  func stall(atPromise number: Int) -> Stall {
    let stall = Stall()
    next.withLock { $0 = (stall, number) }
    return stall
  }

  func didCreate(_ promise: AnyPromise) {
    next.withLock { next -> Stall? in
      next?.promise -= 1
      return next?.promise == 0 ? next.take()?.stall : nil
    }?.stop()
  }
}
