/// A step as async functions. A cancellation of the Task that installs also cancels `perform`.
struct AsyncStep: Sendable {
  let name: String
  let perform: @Sendable () async throws -> Void
  let undo: @Sendable () async throws -> Void
}

/// Does what `Installer` does, without promises.
struct AsyncInstaller: Sendable {
  let reportStuckStep: @Sendable (AsyncStep, any Error) -> Void

  /// Performs phases one after the other. The steps of a phase run beside each other.
  func install(_ phases: [[AsyncStep]]) async throws {
    let finished = FinishedSteps<AsyncStep>()
    do {
      for phase in phases {
        try Task.checkCancellation()
        // The first error cancels the other steps of the phase, and is thrown when they have stopped.
        try await withThrowingDiscardingTaskGroup { group in
          for step in phase {
            group.addTask {
              try await step.perform()
              finished.append(step)
            }
          }
        }
      }
    } catch {
      // In a Task of its own, because in a cancelled one each `undo` would be cancelled, too.
      await Task { await undo(finished) }.value
      throw error
    }
  }

  private func undo(_ finished: FinishedSteps<AsyncStep>) async {
    for step in finished.steps.reversed() {
      do {
        try await step.undo()
      } catch {
        reportStuckStep(step, error)
      }
    }
  }
}
