/// One step of a ``TestWorld``. It is a handler, a timer, or the part of a Task between two suspensions.
public struct ScheduledStep: Sendable, CustomStringConvertible {
  /// The name of the context, or "timers".
  public let context: String

  /// The name of the step, with a line of source where that is known.
  ///
  /// - A handler and a timer have the line that made them.
  /// - A Task that the library makes has the line of its `Promise.task`, async link or handler. An async test is called
  ///   `the test`, and another Task `Task`.
  /// - The promise follows for which the Task has waited, or the sleep on the world's clock, and then the step that made
  ///   the Task ready, as in
  ///   `Task, App/Search.swift:12, resumed by Promise<Page> "page", App/Server.swift:40, after App/Search.swift:30`.
  public let action: String

  /// The world's time.
  public let time: Duration

  /// Whether the handler did not run, because its promise was cancelled, or the observer detached, before its turn.
  ///
  /// `false` for a Task, even if it finds that its handler was cancelled, because its first part has run.
  public internal(set) var isCancelled = false

  /// Whether the step was chosen although the default order has another step, or a move of time, in its place. The
  /// default order takes the step that has waited longest, and an event of ``TestWorld/sometime(_:within:_:)`` at the
  /// end of its duration.
  public internal(set) var isOutOfTurn = false

  /// The context and the name, as in `[main] handler of Promise<Int>, map at App/Search.swift:12`. A handler that did
  /// not run is marked by `, cancelled before its turn`.
  public var description: String { "[\(context)] \(action)" + (isCancelled ? ", cancelled before its turn" : "") }
}
