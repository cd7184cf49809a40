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

  /// Median over the median of the baseline, in the same run; `nil`: one subject ran alone.
  func ratio(of subject: Subject.Name) -> Double? {
    guard samples.count > 1, let own = median(of: subject), let baseline = median(of: workload.reference) else {
      return nil
    }
    return own / baseline
  }

  /// What became of the goal, rounded as the goal is: a ratio that prints as the goal has met it.
  var verdict: String {
    guard let goal = workload.goal, let ratio = ratio(of: .promise) else { return "" }
    let excess = ((ratio - goal) * 100).rounded() / 100
    return excess <= 0 ? "met" : "missed by \(excess.formatted(places: 2))"
  }
}
