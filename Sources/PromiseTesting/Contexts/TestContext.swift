public import PromiseCore

/// An execution context of a ``TestWorld``, which runs nothing by itself: the world's calls do.
///
/// A serial one runs its jobs in the order in which they came, one at a time; of a concurrent one any job may be next. May be
/// scheduled on from any thread. When the world has gone, jobs are dropped, which rejects their promises (rule 6.2).
public final class TestContext: ExecutionContext {
  /// As reports say it.
  public let name: String

  private let isSerial: Bool
  private let agenda: Agenda
  private let lane: Plan.LaneID
  private let turn: Turn

  init(_ name: String, isSerial: Bool, on agenda: Agenda, turn: Turn) {
    self.name = name
    self.isSerial = isSerial
    self.agenda = agenda
    self.turn = turn
    lane = agenda.addLane(name, isSerial: isSerial)
  }

  /// Runs the job when the world is told to run it.
  public func schedule(_ job: consuming Job) { schedule(batch: [job]) }

  /// Runs the jobs when the world is told to: other contexts' jobs may come between them, as with threads.
  public func schedule(batch: consuming [Job]) { agenda.add(batch.map { .job($0) }, to: lane) }

  /// A serial context: handlers of one settlement come together, in order (rule 2.2).
  public var identity: ObjectIdentifier? { isSerial ? ObjectIdentifier(self) : nil }

  /// Whether the calling thread runs a job of this context, which is a serial one. `nil` for a concurrent one, where
  /// others can run beside it.
  public var isCurrent: Bool? {
    isSerial ? turn.tryTake { agenda.withPlan { $0.isRunning(lane) } } ?? false : nil
  }

  /// Something that is no handler of a promise, but also is to happen here.
  func add(_ name: String, _ action: @escaping @Sendable () -> Void) {
    agenda.add([.action(name: name, action)], to: lane)
  }
}

extension TestContext: CustomStringConvertible {
  /// Its name, and what it is.
  public var description: String { "\(name), a context of a TestWorld" }
}
