/// The result of the measurement of a workload.
struct Outcome: Sendable {
  let workload: Workload
  /// The number of units in each round of a subject without a divisor.
  let count: Int
  /// The measurements of each process.
  let sessions: [Session]

  /// The rounds of all processes together.
  var rounds: Int { sessions.reduce(0) { $0 + $1.rounds } }

  /// Whether the threads ran on the cores that the workload requires.
  var isPinned: Bool { sessions.allSatisfy(\.isPinned) }

  /// The most bytes by which a process grew in a round of the promise, or `nil` if the workload takes no samples.
  var growth: Int? { sessions.compactMap(\.growth).max() }

  /// The statistics of each subject over all processes.
  var spreads: [(subject: Subject.Name, spread: Spread)] {
    workload.subjects.map { subject in
      (subject.name, Spread.over(sessions.compactMap { $0.spread(of: subject.name) }))
    }
  }

  /// Returns the median of the ratios of all processes, or `nil` if only one subject ran. The ratio of a process is a
  /// median divided by the median of the subject's reference in the same process.
  func ratio(of subject: Subject.Name) -> Double? { ratios(of: subject).medianIfAny }

  /// Returns the smallest and the largest ratio of a process, or `nil` if only one process or one subject ran.
  func ratioRange(of subject: Subject.Name) -> ClosedRange<Double>? {
    guard sessions.count > 1 else { return nil }
    return ratios(of: subject).range
  }

  /// Returns the ratio of the 99th percentiles of single trips. Also returns `nil` if trips were not timed one by one.
  func p99Ratio(of subject: Subject.Name) -> Double? { ratios(of: subject, by: \.p99).medianIfAny }

  private func ratios(of subject: Subject.Name, by time: (Spread) -> Double? = { $0.median }) -> [Double] {
    sessions.compactMap { $0.ratio(of: subject, to: workload.reference(of: subject), by: time) }
  }

  /// Returns the number of units in each round of a subject.
  func units(of subject: Subject.Name) -> Int {
    count / (workload.subjects.first { $0.name == subject }?.divisor ?? 1)
  }

  /// The verdict on all goals of the workload.
  var verdict: String {
    guard let p99 = verdict(on: ratios(of: .promise, by: \.p99), goal: workload.p99Goal), p99 != medianVerdict else {
      return medianVerdict
    }
    return "median \(medianVerdict), p99 \(p99)"
  }

  /// The verdict on the goal for the median.
  var medianVerdict: String { verdict(on: ratios(of: .promise), goal: workload.goal) ?? "" }

  /// Whether every process missed the goal for the median.
  var isMissed: Bool { medianVerdict.hasPrefix("missed") }

  /// Returns the verdict on the ratios of all processes, or `nil` if there is no goal or no ratio. If some processes
  /// meet the goal and others miss it, the verdict is "cannot tell".
  private func verdict(on ratios: [Double], goal: Double?) -> String? {
    guard let goal, let median = ratios.medianIfAny, let range = ratios.range else { return nil }
    if Self.excess(of: range.upperBound, over: goal) <= 0 { return "met" }
    if Self.excess(of: range.lowerBound, over: goal) <= 0 { return "cannot tell" }
    return "missed by \(Self.excess(of: median, over: goal).formatted(places: 2))"
  }

  /// Returns the excess, rounded to the digits of the goal, so that a ratio that prints like the goal has met it.
  private static func excess(of ratio: Double, over goal: Double) -> Double { ((ratio - goal) * 100).rounded() / 100 }
}

extension [Double] {
  /// The smallest and the largest number, or `nil` if there are none.
  fileprivate var range: ClosedRange<Double>? {
    guard let least = self.min(), let most = self.max() else { return nil }
    return least...most
  }
}
