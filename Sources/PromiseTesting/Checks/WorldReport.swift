public import PromiseCore

/// The error that ``TestWorld/verify(_:)`` throws if a test has left something behind in its world. Its description has
/// the number of things, the causes of what is pending, and a line for each thing, with the line of source that made it.
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
  /// Promises that are settled and have not finished (rule 2.11). What still runs is in `causes`.
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

  var isEmpty: Bool { groups.allSatisfy(\.isEmpty) }

  /// The lines of each kind of thing.
  private var groups: [[String]] {
    [
      failures,
      pending.map { "\($0.createdAt): still pending: \($0.object)" },
      unfinished.map { "\($0.createdAt): settled and not finished: \($0.object)" },
      unhandledRejections.map(\.description),
      secondSettlements.map(\.description),
      unstoppedWork.map(\.description),
      timers.map(\.description),
      waiting.map { "not run: \($0)" },
      objects.map(\.description),
    ]
  }
}

extension WorldReport: CustomStringConvertible {
  private static let mostLines = 40

  /// The number of things, the causes of what is pending, at most eight, and one line for each thing. Of each kind of
  /// thing, such as pending promises, at most 40 are described, and the others are counted.
  public var description: String {
    let count = groups.reduce(0) { $0 + $1.count }
    var lines = [count == 1 ? "1 thing is wrong in the world:" : "\(count) things are wrong in the world:"]
    lines += causes.lines(atMost: 8).map { "  " + $0 }
    for group in groups {
      lines += group.prefix(Self.mostLines).map { "  " + $0 }
      if group.count > Self.mostLines { lines.append("  … \(group.count - Self.mostLines) more like these") }
    }
    return lines.joined(separator: "\n")
  }
}
