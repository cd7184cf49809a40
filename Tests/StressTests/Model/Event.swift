/// An observable event during a step.
enum Event: Hashable, Sendable {
  case ran(handler: Int, SeenOutcome)
  /// The answer of a call that a handler or a hook made.
  case answered(Bool?)
  /// A hook ran. The second number tells it from other hooks of the promise.
  case hook(of: Int, Int, SeenOutcome)
  /// A Task has received the outcome that it awaited. The Task has a number like a handler.
  case awaited(Int, SeenOutcome)
  /// A step has read the progress of a promise, in millionths.
  case progress(Int, millionths: Int)
  /// An owner came too late.
  case second(Int, afterCancel: Bool)

  /// Rounds progress down after adding an offset. The offset keeps progress away from the next number, so a difference
  /// in the last bit does not show.
  static func progress(_ promise: Int, _ progress: Double) -> Event {
    .progress(promise, millionths: Int(progress * 1_000_000 + 0.3141))
  }
}
