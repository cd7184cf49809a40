/// What can be seen while a step is taken.
enum Event: Hashable, Sendable {
  case ran(handler: Int, Sight)
  /// What a call made by a handler or by a hook answered.
  case answered(Bool?)
  /// The hook of that number among those of a promise.
  case hook(of: Int, Int, Outcome.Failure)
  /// A Task has had what it waited for, as a handler of that number.
  case awaited(Int, Sight)
  /// Somebody has read the progress of a promise, in millionths.
  case progress(Int, millionths: Int)
  /// An owner came too late.
  case second(Int, afterCancel: Bool)

  /// What is rounded never lies between two numbers, so that a difference in the last bit shows nowhere.
  static func progress(_ promise: Int, _ progress: Double) -> Event {
    .progress(promise, millionths: Int(progress * 1_000_000 + 0.3141))
  }
}

extension Event: CustomStringConvertible {
  var description: String {
    switch self {
    case .ran(let handler, let sight): "ran(\(handler), \(sight))"
    case .answered(let answer): "answered(\(answer.map { "\($0)" } ?? "-"))"
    case .hook(let promise, let number, let reason): "hook(\(promise), \(number), \(reason))"
    case .awaited(let handler, let sight): "awaited(\(handler), \(sight))"
    case .progress(let promise, let millionths): "progress(\(promise), \(millionths))"
    case .second(let promise, let afterCancel): "second(\(promise), \(afterCancel))"
    }
  }
}
