import PromiseCombinators
import TestSupport

extension Operation<Node> {
  /// Operations that observe, read or release a promise.
  static let ofObservers: [Operation] = [
    observing("onSettled") { promise, stage in
      let runs = Runs(stage.census)
      promise.onSettled(on: stage.context) { [handler = runs.handler] _ in handler() }
      stage.check { try Violation.unless(runs.number == 1, "onSettled ran \(runs.number) times") }
    },
    observing("onFulfilled, onRejected") { promise, stage in
      let values = Runs(stage.census)
      let errors = Runs(stage.census)
      promise.onFulfilled(on: stage.context) { [handler = values.handler] _ in handler() }
      promise.onRejected(on: stage.context) { [handler = errors.handler] _ in handler() }
      stage.check {
        try Violation.unless(values.number + errors.number == 1, "ran \(values.number) and \(errors.number) times")
      }
    },
    .promise("onProgress") { node in
      let stage = node.stage
      return { promise in
        let shown = Log<Double>()
        promise.onProgress(on: stage.context) { [tracked = stage.value()] value in
          withExtendedLifetime(tracked) { shown.append(value) }
        }
        stage.check {
          let shown = shown.entries
          try Violation.unless(zip([0] + shown, shown).allSatisfy { $0 < $1 }, "progress: \(shown)")
          if let end = node.promise.object {
            // A cancellation takes back what is queued (rule 2.5).
            let isComplete = shown.last ?? 0 == end.progress
            try Violation.unless(isComplete || end.isCancelled && shown.last ?? 0 < 1, "progress: \(shown)")
          }
        }
        return promise.isPending ? .before : .nothing
      }
    },
    .promise("read the state") { _ in
      { promise in
        guard case .pending = promise.state else {
          // A settled promise is settled for every reader.
          return promise.result != nil && promise.isFulfilled != promise.isRejected ? .after : .nothing
        }
        return .before
      }
    },
    observing("read the progress") { promise, stage in
      let one = promise.progress
      let other = promise.progress
      stage.check { try Violation.unless(0 <= one && one <= other && other <= 1, "progress: \(one), \(other)") }
    },
    observing("read the tree") { promise, stage in
      let length = promise.root.debugDescription.count
      _ = promise.parent?.isPending
      stage.check { try Violation.unless(length > 0, "no description") }
    },
    .promise("the promise goes", .none) { node in
      node.promise.drop()
      return { _ in .nothing }
    },
  ]

  /// Returns an operation that leaves the promise pending if it was.
  private static func observing(
    _ name: String, _ observe: @escaping @Sendable (Promise<Tracked>, PromiseStage) -> Void
  ) -> Operation {
    .promise(name) { node in
      { [stage = node.stage] promise in
        observe(promise, stage)
        return promise.isPending ? .before : .nothing
      }
    }
  }

  /// Operations of Tasks, on executors that their thread runs.
  static let ofWaiters: [Operation] = [
    .waiting("await") { executor, _ in executor.runUntilIdle() },
    .waiting("cancel who awaits", startsBefore: true) { _, task in task.cancel() },
    .waiting("await, and be cancelled") { executor, task in
      task.cancel()
      executor.runUntilIdle()
    },
    .waiting("take progress", takesProgress: true) { executor, _ in executor.runUntilIdle() },
    .waiting("cancel who takes progress", takesProgress: true, startsBefore: true) { _, task in task.cancel() },
  ]

  private static func waiting(
    _ name: String, takesProgress: Bool = false, startsBefore: Bool = false,
    _ act: @escaping @Sendable (ManualExecutor, Task<Void, Never>) -> Void
  ) -> Operation {
    .promise(name) { node in
      let stage = node.stage
      let ends = Log<Int>()
      let executor = stage.executor()
      let held = Held(sharing: node.promise)
      let task = Task(executorPreference: executor) { [payload = stage.value()] in
        if takesProgress {
          if let updates = held.take()?.progressUpdates { for await _ in updates {} }
        } else {
          _ = try? await held.take()?.value
        }
        withExtendedLifetime(payload) { ends.append(1) }
      }
      if startsBefore { executor.runUntilIdle() }
      stage.check { try Violation.unless(ends.entries.count == 1, "\(name): resumed \(ends.entries.count) times") }
      return { promise in
        act(executor, task)
        return promise.isPending ? .before : .nothing
      }
    }
  }
}
