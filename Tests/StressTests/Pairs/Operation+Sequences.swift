import PromiseCombinators
import TestSupport

extension Operation<SequenceStage> {
  /// Operations on a promise that is made from several inputs, and on those inputs.
  static let ofSequences: [Operation] = [
    .acting("the first input is fulfilled") { $0.owners[0].fulfill(2) },
    .acting("the second is rejected") { $0.owners[1].reject(TestError()) },
    .acting("the last is fulfilled") { $0.owners[2].fulfill(2) },
    .acting("the first is cancelled") { $0.owners[0].promise.cancel() },
    .acting("the second reports") { $0.owners[1].report(progress: 0.5) },
    .acting("all are fulfilled") { stage in for owner in stage.owners { owner.fulfill(3) } },
    result("cancel") { result, _ in result.cancel() },
    result("give up") { result, _ in result.cancel(upstream: true) },
    result("read the progress") { result, _ in _ = (result.progress, result.progress) },
    result("read the tree") { result, stage in _ = (result.debugDescription, stage.owners[0].promise.debugDescription)
    },
    result("it goes") { _, _ in },
    .acting("the context runs") { $0.context.runUntilIdle() },
    .acting("the context lets go") { $0.context.dropAll() },
  ]

  private static func result(
    _ name: String, _ act: @escaping @Sendable (AnyPromise, SequenceStage) -> Void
  ) -> Operation {
    Operation(name) { stage in
      let held = Held(sharing: stage.result)
      if name == "it goes" { stage.result.drop() }
      return {
        if let result = held.take() { act(result, stage) }
        return .nothing
      }
    }
  }
}
