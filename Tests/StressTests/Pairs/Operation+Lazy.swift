import PromiseCombinators
import TestSupport

extension Operation<LazyStage> {
  /// Operations on a chain that starts on demand.
  static let ofLazy: [Operation] = [
    chain("start") { lazy, _ in lazy.start() },
    chain("promise") { lazy, stage in stage.keepClient(lazy.promise) },
    chain("derive and start") { lazy, stage in
      let derived = lazy.map(on: stage.context) { $0 + 1 }
      derived.start()
      stage.keep(derived.promise)
    },
    chain("derive and let go") { lazy, stage in _ = lazy.map(on: stage.context) { $0 + 1 } },
    chain("derive and cancel") { lazy, stage in
      let derived = lazy.map(on: stage.context) { $0 + 1 }
      derived.cancel()
      stage.keep(derived.promise)
    },
    chain("onSettled") { lazy, stage in lazy.onSettled(on: stage.context) { _ in } },
    chain("onProgress") { lazy, stage in lazy.onProgress(on: stage.context) { _ in } },
    chain("await") { lazy, stage in
      Task(executorPreference: stage.executor) { _ = try? await lazy.value }
      stage.executor.runUntilIdle()
    },
    chain("cancel") { lazy, stage in stage.cancel(lazy) },
    chain("give up") { lazy, stage in stage.giveUp(lazy.promise) },
    chain("read") { lazy, _ in _ = (lazy.isStarted, lazy.isPending, lazy.isCancelled, lazy.progress, lazy.result) },
    chain("the context runs") { _, stage in stage.context.runUntilIdle() },
    chain("it goes") { _, _ in },
  ]

  private static func chain(
    _ name: String, _ act: @escaping @Sendable (LazyPromise<Int>, LazyStage) -> Void
  ) -> Operation {
    Operation(name) { stage in
      let held = Held(sharing: stage.chain)
      if name == "it goes" { stage.drop() }
      return {
        if let lazy = held.take() { act(lazy, stage) }
        return .nothing
      }
    }
  }
}
