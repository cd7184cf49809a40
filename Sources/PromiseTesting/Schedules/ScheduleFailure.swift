/// A test failed in one of the orders in which ``TestWorld/explore(schedules:seed:checking:_:)-18960`` ran it.
public struct ScheduleFailure: Error, Sendable {
  /// What brings the failing order back.
  public enum Replay: Sendable, Equatable {
    /// For ``TestWorld/replay(seed:checking:_:)-84cnx``.
    case seed(UInt64)
    /// For ``TestWorld/replay(choices:checking:_:)-3l7qf``.
    case choices([Int])
  }

  /// What the test threw, or a ``WorldReport`` of what it did not expect or left behind.
  public let error: any Error

  /// The how manieth schedule it was, from 1.
  public let attempt: Int

  /// How to run the same schedule again.
  public let replay: Replay

  /// What happened, in order, until the failure was found.
  public let steps: [ScheduledStep]
}

extension ScheduleFailure: CustomStringConvertible {
  /// The error, how to bring it back, and what happened, in numbered lines; of a long schedule the end.
  public var description: String {
    let most = 60
    let lines = steps.enumerated().map { "  \($0 + 1). \($1)" }
    let cut = lines.count > most ? ["  … \(lines.count - most) steps before"] : []
    let head = ["failed in schedule \(attempt): \(error)", "to bring it back: \(replay)", "what happened:"]
    return (head + cut + lines.suffix(most)).joined(separator: "\n")
  }
}

extension ScheduleFailure.Replay: CustomStringConvertible {
  /// The call.
  public var description: String {
    switch self {
    case .seed(let seed): "TestWorld.replay(seed: \(seed)) { … }"
    case .choices(let choices): "TestWorld.replay(choices: \(choices)) { … }"
    }
  }
}

/// A test did other things than before, though everything happened in the same order: it depends on real time, on
/// threads of its own, on random numbers, on the order of a set, or on what an earlier run has left.
public struct NotDeterministic: Error, Sendable, CustomStringConvertible {
  /// The order.
  public let replay: ScheduleFailure.Replay

  /// With what it failed that time; `nil`: it did not, and had before.
  public let error: (any Error)?

  /// How it was found out, and what may be the cause.
  public var description: String {
    """
    the test is not deterministic: in the order of \(replay) it did other things than before\(error.map { ", and failed: \($0)" } ?? "")
    Does it use real time, threads of its own, random numbers, the order of a set, or what an earlier run has left?
    """
  }
}
