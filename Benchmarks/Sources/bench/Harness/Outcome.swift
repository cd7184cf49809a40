/// What was measured for one workload.
struct Outcome: Sendable {
  let workload: Workload
  /// How many units each round timed.
  let count: Int
  let rounds: Int
  /// Whether the threads really were where the workload wants them.
  let isPinned: Bool
  /// The most bytes by which the process grew in a round of the promise; `nil`: the workload does not look.
  let growth: Int?
  let samples: [(subject: Subject.Name, samples: Samples)]

  private func median(of subject: Subject.Name) -> Double? {
    samples.first { $0.subject == subject }?.samples.median
  }

  /// Median over the median of its reference, in the same run; `nil`: one subject ran alone.
  func ratio(of subject: Subject.Name) -> Double? {
    let reference = workload.reference(of: subject)
    guard samples.count > 1, let own = median(of: subject), let baseline = median(of: reference) else { return nil }
    return own / baseline
  }

  /// The workload's goal. Where objects ran too, nine tenths of what they gained are enough.
  var goal: Double? {
    guard let goal = workload.goal, let objects = ratio(of: .objects) else { return workload.goal }
    return max(goal, objects / 0.9)
  }

  /// What became of the goal.
  var verdict: String {
    guard let excess else { return "" }
    return isMissed ? "missed by \(excess.formatted(places: 2))" : "met"
  }

  var isMissed: Bool { excess.map { $0 > 0 } ?? false }

  /// Rounded as the goal is: a ratio that prints as the goal has met it.
  private var excess: Double? {
    guard let goal, let ratio = ratio(of: .promise) else { return nil }
    return ((ratio - goal) * 100).rounded() / 100
  }
}
