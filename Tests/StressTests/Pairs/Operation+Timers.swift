import PromiseCombinators
import TestSupport

extension Operation<TimerStage> {
  /// Operations on timers, and on promises that wait for timers.
  static let ofTimers: [Operation] = [
    timers("schedule") { stage in
      stage.timers.schedule(after: .seconds(1)) { [tracked = stage.track()] in withExtendedLifetime(tracked) {} }
    },
    timers("schedule and cancel") { stage in
      stage.timers.schedule(after: .seconds(1)) { [tracked = stage.track()] in withExtendedLifetime(tracked) {} }
        .cancel()
    },
    timers("ring") { $0.timers.ring() },
    timers("cancel the timer") { $0.timer.cancel() },
    timers("cancel a delay") { $0.delayed.cancel() },
    timers("give up a limit") { $0.limited.cancel(upstream: true) },
    timers("settle what is limited") { $0.source.fulfill(2) },
    timers("the limit of an owner") { $0.source.timeout(after: .seconds(1), timers: $0.timers) },
    timers("cancel what comes after") { $0.after.cancel() },
    timers("cancel a retry") { $0.retrying.cancel() },
    timers("the context runs") { $0.context.runUntilIdle() },
    timers("delay") { $0.keep($0.source.promise.delay(.seconds(1), timers: $0.timers)) },
  ]

  private static func timers(_ name: String, _ act: @escaping @Sendable (TimerStage) -> Void) -> Operation {
    Operation(name) { stage in
      {
        act(stage)
        return .nothing
      }
    }
  }
}
