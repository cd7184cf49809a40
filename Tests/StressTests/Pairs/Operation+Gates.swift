import PromiseCombinators
import TestSupport

extension Operation<GateStage> {
  /// Operations on a gate and on the promises of its callers.
  static let ofGates: [Operation] = [
    gate("come") { _ = $0.come() },
    gate("come otherwise") { _ = $0.come(otherwise: true) },
    gate("come and give up") { $0.come().cancel() },
    gate("who is inside is done") { $0.end() },
    gate("who is inside fails") { $0.end(failing: true) },
    gate("who is inside is cancelled") { $0.inside.cancel() },
    gate("the guest inside gives up") { $0.inside.cancel(upstream: true) },
    gate("the next gives up") { $0.waiting[0].cancel() },
    gate("the last gives up") { $0.waiting[2].cancel(upstream: true) },
    gate("the context runs") { $0.context.runUntilIdle() },
    gate("the context lets go") { $0.context.dropAll() },
    gate("time passes") { $0.timers.ring() },
  ]

  private static func gate(_ name: String, _ act: @escaping @Sendable (GateStage) -> Void) -> Operation {
    Operation(name) { stage in
      {
        act(stage)
        return .nothing
      }
    }
  }
}
