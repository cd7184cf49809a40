public import PromiseCore

/// The error that ``TestWorld/verify(_:)`` throws if a test has left something behind in its world. Its
/// description begins with the causes of what is pending. Each other line is one thing, with the line of source that
/// made it.
public struct WorldReport: Error, Sendable {
  /// A timer that is armed.
  public struct Timer: Sendable, CustomStringConvertible {
    /// The line of source that scheduled the timer.
    public let createdAt: CreationSite
    /// The time until it fires.
    public let remaining: Duration

    /// The line of source that scheduled the timer, and the time until it fires.
    public var description: String { "\(createdAt): a timer is armed for another \(remaining.inReports)" }
  }

  /// A promise or a tracked object that is not deallocated.
  public struct Survivor: Sendable, CustomStringConvertible {
    /// The line of source that made the promise, or that began to track the object.
    public let createdAt: CreationSite
    /// The type of the object, and of a promise its state.
    public let object: String

    /// The line of source, and the type of the object.
    public var description: String { "\(createdAt): still alive: \(object)" }
  }

  /// The causes of the waits of `pending` and `unfinished`.
  public var causes = WaitCauses()
  /// Failed conditions of ``TestWorld/expect(_:_:fileID:line:)``.
  public var failures: [String] = []
  /// Promises that are pending.
  public var pending: [Survivor] = []
  /// Promises that are settled and have not finished (rule 2.11), each with what still runs.
  public var unfinished: [Survivor] = []
  /// Rejections that were not handled.
  public var unhandledRejections: [UnhandledRejection] = []
  /// Settlements of promises that were already settled, other than by a cancellation.
  public var secondSettlements: [SecondSettlement] = []
  /// Work that a call of `cancel()` has left without a consumer (rule 4.4). Release builds do not look for it.
  public var unstoppedWork: [UnstoppedWork] = []
  /// Timers that are armed.
  public var timers: [Timer] = []
  /// Handlers and Tasks that have not run.
  public var waiting: [ScheduledStep] = []
  /// Finished promises and tracked objects that are not deallocated.
  public var objects: [Survivor] = []

  var isEmpty: Bool { lines.isEmpty }

  private var lines: [String] {
    var lines = failures
    lines += pending.map { "\($0.createdAt): still pending: \($0.object)" }
    lines += unfinished.map { "\($0.createdAt): settled and not finished: \($0.object)" }
    lines += unhandledRejections.map(\.description)
    lines += secondSettlements.map(\.description)
    lines += unstoppedWork.map(\.description)
    lines += timers.map(\.description)
    lines += waiting.map { "not run: \($0)" }
    lines += objects.map(\.description)
    return lines
  }
}

extension WorldReport: CustomStringConvertible {
  /// The number of things, the causes of what is pending, at most eight, and one line for each thing.
  public var description: String {
    let lines = lines
    let head = lines.count == 1 ? "1 thing is wrong in the world:" : "\(lines.count) things are wrong in the world:"
    return ([head] + (causes.lines(atMost: 8) + lines).map { "  " + $0 }).joined(separator: "\n")
  }
}
