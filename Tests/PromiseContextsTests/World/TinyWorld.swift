import PromiseContexts
import PromiseCore
import TestSupport

/// The least that a world can be: everything on contexts that wait to be told.
final class TinyWorld: World {
  let parallel = ManualContext()
  let serial = ManualContext()
  let pool: PoolContext

  var main: any ExecutionContext { serial }
  let timers: any TimerContext = NoTime()

  init() {
    pool = PoolContext(runningOn: parallel)
    Worlds.began()
  }

  deinit { Worlds.ended() }

  /// Runs a body with everything that it does not name under control.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result { try Worlds.bind(self, body) }

  /// Runs what is ready, and what that makes ready.
  func runUntilIdle() {
    run {
      repeat {
        parallel.runUntilIdle()
        serial.runUntilIdle()
      } while parallel.count > 0
    }
  }
}

/// Timers that nothing ever comes of.
final class NoTime: TimerContext {
  private final class Timer: ScheduledTimer {
    func cancel() -> Bool { true }
  }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer { Timer() }
}
