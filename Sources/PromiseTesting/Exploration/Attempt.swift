import PromiseRecording

/// One run of an explored test, in a world of its own.
struct Attempt {
  let error: (any Error)?
  let order: StepOrder
  /// The steps that have run, if they were recorded.
  let steps: [ScheduledStep]
  /// The recording of the test's promises until it failed, if they were recorded.
  let recording: Recording?

  /// - Parameter isRecording: whether to record the steps and the promises.
  init(
    in order: StepOrder, isRecording: Bool, _ checks: TestWorld.Checks, _ body: (TestWorld) throws -> Void
  ) {
    let world = TestWorld(isRecording: isRecording)
    world.scheduler.withQueue { $0.follow(order, isRecording: isRecording) }
    var failure: (any Error)?
    do {
      try world.runToItsEnd(checking: checks) { world in try world.run { try body(world) } }
    } catch {
      failure = error
    }
    error = failure
    recording = world.failedRecording.withLock(\.recording)
    (self.order, steps) = world.scheduler.withQueue { ($0.order, $0.history ?? []) }
  }

  /// The choices with which a ``FixedOrder`` repeats this run. After them, it takes the default order.
  var choices: [Int] {
    var choices = order.choices.map(\.taken)
    while choices.last == 0 { choices.removeLast() }
    return choices
  }

  /// The error for a run in which a given choice was not possible, or `nil` if all were.
  var divergence: NondeterminismError? {
    guard case .fixed(let order) = order, !order.matchesPrefix else { return nil }
    let replay = ScheduleFailure.Replay(seed: order.seed, choices: order.prefix.map(\.taken))
    return NondeterminismError(replay: replay, error: error)
  }

  /// The arguments that repeat the order of this run.
  var replay: ScheduleFailure.Replay {
    if case .random(let order) = order { return .seed(order.seed) }
    return ScheduleFailure.Replay(seed: order.seed, choices: choices)
  }
}
