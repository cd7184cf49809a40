/// The failure of a test in one of the orders in which ``TestWorld/explore(schedules:seed:checking:_:)-18960`` ran it.
public struct ScheduleFailure: Error, Sendable {
  /// The arguments that repeat a schedule.
  public enum Replay: Sendable, Equatable {
    /// The seed for ``TestWorld/replay(seed:checking:_:)-84cnx``.
    case seed(UInt64)
    /// The choices for ``TestWorld/replay(choices:checking:_:)-3l7qf``.
    case choices([Int])
    /// The seed and the choices for ``TestWorld/replay(seed:choices:checking:_:)-4gs7o``. This is the short form of a
    /// schedule that a seed gave.
    case seedAndChoices(UInt64, [Int])

    init(seed: UInt64?, choices: [Int]) {
      self = seed.map { .seedAndChoices($0, choices) } ?? .choices(choices)
    }
  }

  /// The error that the test threw, or a ``WorldReport`` of failed expectations and of what the test left behind.
  public let error: any Error

  /// The number of the schedule, from 1.
  public let attempt: Int

  /// The arguments that repeat the schedule.
  public let replay: Replay

  /// The steps of the schedule, in order, until the failure was found.
  public let steps: [ScheduledStep]

  /// The path of a page that shows the schedule in a browser: the promises of the test, their handlers, and what each
  /// waits for, in the time of the world. It is in the folder of temporary files. If the file could not be written,
  /// this says why.
  public let page: String

  /// Whether the test failed again when its steps ran in the same order. Otherwise the schedule is not shortened.
  let isRepeatable: Bool

  init(error: any Error, attempt number: Int, of run: Attempt, isRepeatable: Bool = true) {
    self.error = error
    attempt = number
    replay = run.replay
    steps = run.steps
    page = run.recording.map { Self.writePage(of: $0, title: "Schedule of \(run.replay)") } ?? "none"
    self.isRepeatable = isRepeatable
  }
}

extension ScheduleFailure: CustomStringConvertible {
  private static let advice = "some steps read alike: give their promises a label, as in `labeled(\"load\")`"

  /// Whether a reader cannot tell which of several promises without a label a step belongs to.
  private static func haveManyAlike(_ steps: [ScheduledStep]) -> Bool {
    Dictionary(grouping: steps.filter { !$0.action.contains("\"") }, by: \.description).values.contains { $0.count > 2 }
  }

  /// The error, the call that repeats it, and the steps in numbered lines. An arrow marks each step that was chosen
  /// instead of the one of the default order. Of more than 60 steps, the last ones are listed.
  public var description: String {
    let most = 60
    let lines = steps.enumerated().map { "\($1.isOutOfTurn ? "→ " : "  ")\($0 + 1). \($1)" }
    let cut = lines.count > most ? ["  … \(lines.count - most) steps before"] : []
    let chosen = steps.contains(where: \.isOutOfTurn) ? " (→ is chosen, all others are in the default order)" : ""
    let remark = isRepeatable ? [] : ["not shortened, because the test passed when its steps ran in this order again"]
    let head = [
      "failed in schedule \(attempt): \(error)", "to bring it back: \(replay)", "to look at it in a browser: \(page)",
    ]
    let advice = Self.haveManyAlike(steps) ? [Self.advice] : []
    return (head + remark + advice + ["what happened\(chosen):"] + cut + lines.suffix(most)).joined(separator: "\n")
  }
}

extension ScheduleFailure.Replay: CustomStringConvertible {
  /// The call that repeats the schedule.
  public var description: String {
    switch self {
    case .seed(let seed): "TestWorld.replay(seed: \(seed)) { … }"
    case .choices(let choices): "TestWorld.replay(choices: \(choices)) { … }"
    case .seedAndChoices(let seed, let choices): "TestWorld.replay(seed: \(seed), choices: \(choices)) { … }"
    }
  }
}

/// The error for a test that behaved differently although its steps ran in the same order.
///
/// Such a test depends on real time, on threads of its own, on random numbers, on the order of a set, or on state that
/// an earlier run has left.
public struct NondeterminismError: Error, Sendable, CustomStringConvertible {
  /// The arguments that repeat the order.
  public let replay: ScheduleFailure.Replay

  /// The failure of the last run, or `nil` if it passed and an earlier run in the same order failed.
  public let error: (any Error)?

  /// The failure of an earlier run in the same order, if the last run passed.
  public internal(set) var earlierError: (any Error)?

  /// The order, the errors, and possible causes.
  public var description: String {
    """
    the test is not deterministic: in the order of \(replay) it did other things than before\(error.map { ", and failed: \($0)" } ?? "")\
    \(earlierError.map { ", and passed. It had failed: \($0)" } ?? "")
    Does it use real time, threads of its own, random numbers, the order of a set, or what an earlier run has left?
    """
  }
}
