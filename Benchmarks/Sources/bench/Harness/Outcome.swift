/// The result of the measurement of a workload.
struct Outcome: Sendable {
  let workload: Workload
  /// The number of units in each round of a subject without a divisor.
  let count: Int
  let rounds: Int
  /// Whether the threads ran on the cores that the workload requires.
  let isPinned: Bool
  /// The most bytes by which the process grew in a round of the promise, or `nil` if the workload takes no samples.
  let growth: Int?
  let spreads: [(subject: Subject.Name, spread: Spread)]

  /// Returns the median divided by the median of the subject's reference in the same run, or `nil` if only one subject
  /// ran.
  func ratio(of subject: Subject.Name) -> Double? { ratio(of: subject, by: \.median) }

  /// Returns the ratio of the 99th percentiles of single trips. Also returns `nil` if trips were not timed one by one.
  func p99Ratio(of subject: Subject.Name) -> Double? { ratio(of: subject, by: \.p99) }

  private func ratio(of subject: Subject.Name, by time: (Spread) -> Double?) -> Double? {
    func found(_ name: Subject.Name) -> Double? { spreads.first { $0.subject == name }.flatMap { time($0.spread) } }
    let reference = workload.reference(of: subject)
    guard spreads.count > 1, let own = found(subject), let baseline = found(reference) else { return nil }
    return own / baseline
  }

  /// Returns the number of units in each round of a subject.
  func units(of subject: Subject.Name) -> Int {
    count / (workload.subjects.first { $0.name == subject }?.divisor ?? 1)
  }

  /// The workload's goal. If objects ran too, nine tenths of their gain are sufficient.
  var goal: Double? {
    guard let goal = workload.goal, let objects = ratio(of: .objects) else { return workload.goal }
    return max(goal, objects / 0.9)
  }

  /// The verdict on all goals of the workload.
  var verdict: String {
    guard let p99Excess else { return medianVerdict }
    guard isMissed || p99Excess > 0 else { return "met" }
    return "median \(medianVerdict), p99 \(Self.verdict(p99Excess))"
  }

  /// The verdict on the goal for the median.
  var medianVerdict: String { excess.map(Self.verdict) ?? "" }

  /// Whether the goal for the median is missed.
  var isMissed: Bool { excess.map { $0 > 0 } ?? false }

  private static func verdict(_ excess: Double) -> String {
    excess > 0 ? "missed by \(excess.formatted(places: 2))" : "met"
  }

  private var excess: Double? { Self.excess(of: ratio(of: .promise), over: goal) }
  private var p99Excess: Double? { Self.excess(of: p99Ratio(of: .promise), over: workload.p99Goal) }

  /// Returns the excess, rounded to the digits of the goal, so that a ratio that prints like the goal has met it.
  private static func excess(of ratio: Double?, over goal: Double?) -> Double? {
    guard let goal, let ratio else { return nil }
    return ((ratio - goal) * 100).rounded() / 100
  }
}
