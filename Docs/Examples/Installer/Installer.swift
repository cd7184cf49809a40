import PromiseCombinators

/// Performs the steps of a plan. If one of them fails, or a client cancels, it undoes those that have come to their end,
/// the last one first.
struct Installer: Sendable {
  /// Is told of each step that cannot be undone. The others are undone nevertheless.
  let reportStuckStep: @Sendable (Step, any Error) -> Void

  /// Begins the installation. Its outcome is settled when everything is undone that had to be. A cancellation settles it
  /// at once, in either form, and `whenFinished()` tells when everything is undone.
  func install(_ plan: Plan) -> Promise<Void> {
    // `using` waits until the steps that a failure has stopped have really stopped, and no cancellation stops the undo.
    Promise.using(Self.noSteps, release: undo) { finished in perform(plan, finished) }
  }

  private static func noSteps() -> Promise<FinishedSteps<Step>> { .fulfilled(FinishedSteps()) }

  private func perform(_ plan: Plan, _ finished: FinishedSteps<Step>) -> Promise<Void> {
    switch plan {
    case .step(let step):
      // `always` also runs if the step has ended just before the cancellation. A `tap` would not.
      step.perform()
        .always { outcome in if case .success = outcome { finished.append(step) } }
        .labeled(step.name)
    case .inOrder(let plans):
      Promise.forEach(plans) { plan in perform(plan, finished) }
    case .together(let plans):
      Promise.all(plans.map { plan in perform(plan, finished) }, onRejection: .cancelRemaining).asVoid()
    }
  }

  private func undo(_ finished: FinishedSteps<Step>, after outcome: Result<Void, any Error>) -> Promise<Void> {
    guard case .failure = outcome else { return .fulfilled() }
    return Promise.forEach(finished.steps.reversed()) { step in
      step.undo()
        .recover { error in reportStuckStep(step, error) }
        .labeled("undo \(step.name)")
    }
  }
}
