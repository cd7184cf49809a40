import PromiseCombinators
import PromiseFoundation

extension Operation {
  /// Members that are not functions but retain objects, such as properties that a Task awaits or iterates.
  static let bridges: [Operation] = [
    waiting("Promise.value") { scene in _ = try? await scene.source.value },
    waiting("PromiseView.value") { scene in _ = try? await scene.source.on(.main).value },
    waiting("LazyPromise.value") { scene in _ = try? await scene.lazy().value },
    waiting("Promise.progressUpdates") { scene in
      scene.deferred?.report(progress: 0.5)
      for await _ in scene.source.progressUpdates {}
    },
    Operation("ExecutionContext.currentThread") { scene in
      // The inner handler runs on the thread of the outer handler. The thread ends when its contexts are released.
      let thread = ThreadContext(named: "bridge")
      return scene.source.map(on: thread) { [tracked = scene.capture()] value in
        tracked.carrying(Promise.fulfilled(value).map(on: .currentThread) { [tracked] in tracked.carrying($0) })
      }
    },
  ]

  /// Functions that let a Task await a promise, and cancel that promise with the Task.
  static let waits: [Operation] = [
    waiting("AnyPromise.cancelAndFinish(reason:)") { scene in
      try? await scene.source.cancelAndFinish(reason: scene.error())
    },
    waiting("Promise.value(cancelsSource:)") { scene in _ = try? await scene.source.value(cancelsSource: true) },
    waiting("PromiseView.value(cancelsSource:)") { scene in
      _ = try? await scene.source.on(.main).value(cancelsSource: true)
    },
    waiting("LazyPromise.value(cancelsSource:)") { scene in _ = try? await scene.lazy().value(cancelsSource: true) },
  ]

  /// Starts two Tasks that wait, and cancels one of them while it waits.
  private static func waiting(_ name: String, _ body: @escaping @Sendable (Scene) async -> Void) -> Operation {
    Operation(doing: name) { scene in
      let tasks = (0..<2).map { _ in
        Task(executorPreference: scene.world.taskExecutor) { [tracked = scene.capture()] in
          tracked.carrying(await body(scene))
        }
      }
      scene.world.runUntilIdle()
      tasks[0].cancel()
    }
  }
}
