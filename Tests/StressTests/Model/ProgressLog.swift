import PromiseCore
import TestSupport

/// The values that an observer of progress has received. Their rules hold in every order of steps and threads (rules
/// 5.1 and 5.2).
final class ProgressLog: Sendable {
  let promise: Int
  /// Whether the context keeps its jobs.
  private let isKept: Bool
  private let values = Locked<[Double]>([])

  init(of promise: Int, isKept: Bool) { (self.promise, self.isKept) = (promise, isKept) }

  func note(_ value: Double) { values.withLock { $0.append(value) } }

  /// Returns the rule that is broken, or `nil`. All jobs have run.
  func difference(from promise: Promise<Int>, in program: [Step]) -> String? {
    let values = values.withLock { $0 }
    let last = values.last ?? 0
    if zip([0] + values, values).contains(where: { $0 >= $1 }) { return "does not rise: \(values)" }
    if last > 1 { return "is above 1: \(values)" }
    if promise.progress < last { return "is \(promise.progress) at the end, after \(values)" }
    guard promise.isFulfilled else { return nil }
    if promise.progress != 1 { return "is \(promise.progress) after the value" }
    if last != 1, isKept, !program.contains(where: \.mayTakeDeliveriesBack) { return "is not 1 at the end: \(values)" }
    return nil
  }
}

extension Step {
  var isReport: Bool { if case .report = self { true } else { false } }

  /// Whether an observer may miss the last value because of the step, or because of a step that its handler takes.
  fileprivate var mayTakeDeliveriesBack: Bool {
    switch self {
    case .cancel, .cancelTasks, .dropJobs, .await(_, true, _): true
    case .combine(let combinator, _): combinator.givesUpOthers
    case .link(_, _, _, let behaviour), .start(_, _, let behaviour): behaviour.first?.mayTakeDeliveriesBack ?? false
    case .observe(_, _, _, let act), .hook(_, let act), .awaitedHook(_, _, _, let act):
      act?.mayTakeDeliveriesBack ?? false
    default: false
    }
  }
}
