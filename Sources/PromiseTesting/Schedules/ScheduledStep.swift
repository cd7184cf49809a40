/// One thing that happened in a ``TestWorld``: a handler that ran, a timer that fired, a part of a Task.
public struct ScheduledStep: Sendable, CustomStringConvertible {
  /// The name of the context, or "timers".
  public let context: String

  /// What it was, with the place in the source where that is known.
  public let action: String

  /// When, since the world began.
  public let time: Duration

  /// `[main] handler of Promise<Int>, App/Search.swift:12`
  public var description: String { "[\(context)] \(action)" }
}
