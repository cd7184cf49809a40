import PromiseCombinators
import TestSupport

extension Operation<GateStage> {
  /// Operations on a gate and on the promises of its callers.
  static let ofGates: [Operation] = [
    .acting("come") { _ = $0.come() },
    .acting("come otherwise") { _ = $0.come(otherwise: true) },
    .acting("come and give up") { $0.come().cancel() },
    .acting("who is inside is done") { $0.end() },
    .acting("who is inside fails") { $0.end(failing: true) },
    .acting("who is inside is cancelled") { $0.inside.cancel() },
    .acting("the guest inside gives up") { $0.inside.cancel(upstream: true) },
    .acting("the next gives up") { $0.waiting[0].cancel() },
    .acting("the last gives up") { $0.waiting[2].cancel(upstream: true) },
    .acting("the context runs") { $0.context.runUntilIdle() },
    .acting("the context lets go") { $0.context.dropAll() },
    .acting("time passes") { $0.timers.ring() },
  ]
}
