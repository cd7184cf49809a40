import PromiseCombinators
import TestSupport

extension Operation<TimerStage> {
  /// Operations on timers, and on promises that wait for timers.
  static let ofTimers: [Operation] = [
    .acting("schedule") { stage in
      stage.timers.schedule(after: .seconds(1)) { [tracked = stage.track()] in withExtendedLifetime(tracked) {} }
    },
    .acting("schedule and cancel") { stage in
      stage.timers.schedule(after: .seconds(1)) { [tracked = stage.track()] in withExtendedLifetime(tracked) {} }
        .cancel()
    },
    .acting("ring") { $0.timers.ring() },
    .acting("cancel the timer") { $0.cancelTimer() },
    .acting("cancel a delay") { $0.delayed.cancel() },
    .acting("give up a limit") { $0.limited.cancel(upstream: true) },
    .acting("settle what is limited") { $0.source.fulfill(2) },
    .acting("the limit of an owner") { $0.source.timeout(.seconds(1), timers: $0.timers) },
    .acting("cancel what comes after") { $0.after.cancel() },
    .acting("cancel a retry") { $0.retrying.cancel() },
    .acting("the context runs") { $0.context.runUntilIdle() },
    .acting("delay") { $0.keep($0.source.promise.delay(.seconds(1), timers: $0.timers)) },
  ]
}
