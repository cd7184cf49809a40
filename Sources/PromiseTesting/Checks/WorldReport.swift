public import PromiseCore

/// What a test has left behind in its world: see ``TestWorld/verify(_:)``. Each line of its description is one thing,
/// with the place in the source where it was made.
public struct WorldReport: Error, Sendable {
  /// A timer that waits.
  public struct Timer: Sendable, CustomStringConvertible {
    /// Where it was asked for.
    public let createdAt: CreationSite
    /// For how long it still would wait.
    public let remaining: Duration

    /// Where it was asked for, and when it is due.
    public var description: String { "\(createdAt): a timer is armed for another \(remaining)" }
  }

  /// Something that lives.
  public struct Survivor: Sendable, CustomStringConvertible {
    /// Where it was made, or the world was told of it.
    public let createdAt: CreationSite
    /// What it is.
    public let object: String

    /// Where tracking began, and what it is.
    public var description: String { "\(createdAt): still alive: \(object)" }
  }

  /// What ``TestWorld/expect(_:_:fileID:line:)`` found wrong.
  public var failures: [String] = []
  /// Promises that are pending.
  public var pending: [Survivor] = []
  /// Rejections that nobody has looked at.
  public var unhandledRejections: [UnhandledRejection] = []
  /// Settlements of promises that were settled, other than by a cancellation.
  public var secondSettlements: [SecondSettlement] = []
  /// Timers that are armed.
  public var timers: [Timer] = []
  /// Handlers and Tasks that have not run.
  public var waiting: [ScheduledStep] = []
  /// Promises that are settled and alive, and objects that the world was told of.
  public var objects: [Survivor] = []

  var isEmpty: Bool { lines.isEmpty }

  private var lines: [String] {
    var lines = failures
    lines += pending.map { "\($0.createdAt): still pending: \($0.object)" }
    lines += unhandledRejections.map(\.description)
    lines += secondSettlements.map(\.description)
    lines += timers.map(\.description)
    lines += waiting.map { "not run: \($0)" }
    lines += objects.map(\.description)
    return lines
  }
}

extension WorldReport: CustomStringConvertible {
  /// How many things, and a line for each.
  public var description: String {
    let lines = lines
    let head = lines.count == 1 ? "1 thing is wrong in the world:" : "\(lines.count) things are wrong in the world:"
    return ([head] + lines.map { "  " + $0 }).joined(separator: "\n")
  }
}
