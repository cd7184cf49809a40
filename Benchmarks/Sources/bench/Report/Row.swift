/// One row of `results.json`, for a workload and one of its subjects. The names of the fields are a contract.
///
/// A figure of a gauge is a row, too. Its `workload` is the name of the figure ("M1 promise bytes"), its `n` is the
/// value, and its `goal` is the highest value that meets the goal. The times and the ratios are `null`.
struct Row: Codable {
  let workload: String
  let subject: String
  /// The number of units in each round.
  let n: Int
  /// The times of a unit.
  let minNanoseconds: Double?
  let medianNanoseconds: Double?
  let maxNanoseconds: Double?
  /// The time of single units for which a caller waits, or `null` if units were not timed one by one.
  let p99Nanoseconds: Double?
  /// The time that a unit takes from the processors, in user mode and in the kernel, and how often a thread gave its
  /// core away meanwhile. `null` if units were timed one by one.
  let userNanoseconds: Double?
  let systemNanoseconds: Double?
  let switches: Double?
  /// The ratio to the median of the workload's `reference`, or `null` if only one subject ran. The median over all
  /// processes, and the smallest and the largest ratio of a process if there were several.
  let ratio: Double?
  let leastRatio: Double?
  let mostRatio: Double?
  /// The goal of the promise subject, or `null` for other subjects.
  let goal: Double?
  /// The ratio and the goal of the 99th percentiles, or `null` if there is none.
  let p99Ratio: Double?
  let p99Goal: Double?
  /// The verdict on all goals, as the tables show it. Empty if there is no goal.
  let verdict: String
  /// How many processes measured, and their rounds together.
  let processes: Int?
  let rounds: Int?
  /// Whether the threads ran on the cores that the workload requires.
  let isPinned: Bool?
  /// The most growth of the process in a round, in bytes, or `null` if the workload takes no samples.
  let growthBytes: Int?

  private enum CodingKeys: String, CodingKey {
    case workload, subject, n
    case minNanoseconds = "min_ns"
    case medianNanoseconds = "median_ns"
    case maxNanoseconds = "max_ns"
    case p99Nanoseconds = "p99_ns"
    case userNanoseconds = "user_ns"
    case systemNanoseconds = "system_ns"
    case switches, ratio, goal
    case leastRatio = "ratio_min"
    case mostRatio = "ratio_max"
    case p99Ratio = "p99_ratio"
    case p99Goal = "p99_goal"
    case verdict, processes, rounds
    case isPinned = "pinned"
    case growthBytes = "growth_bytes"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload, forKey: .workload)
    try container.encode(subject, forKey: .subject)
    try container.encode(n, forKey: .n)
    // The value is encoded as `null` and not left out, so that every row has the same fields.
    try container.encode(minNanoseconds, forKey: .minNanoseconds)
    try container.encode(medianNanoseconds, forKey: .medianNanoseconds)
    try container.encode(maxNanoseconds, forKey: .maxNanoseconds)
    try container.encode(p99Nanoseconds, forKey: .p99Nanoseconds)
    try container.encode(userNanoseconds, forKey: .userNanoseconds)
    try container.encode(systemNanoseconds, forKey: .systemNanoseconds)
    try container.encode(switches, forKey: .switches)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(leastRatio, forKey: .leastRatio)
    try container.encode(mostRatio, forKey: .mostRatio)
    try container.encode(goal, forKey: .goal)
    try container.encode(p99Ratio, forKey: .p99Ratio)
    try container.encode(p99Goal, forKey: .p99Goal)
    try container.encode(verdict, forKey: .verdict)
    try container.encode(processes, forKey: .processes)
    try container.encode(rounds, forKey: .rounds)
    try container.encode(isPinned, forKey: .isPinned)
    try container.encode(growthBytes, forKey: .growthBytes)
  }

  /// The times of the row, or `nil` if it has none.
  var spread: Spread? {
    guard let minNanoseconds, let medianNanoseconds, let maxNanoseconds else { return nil }
    return Spread(
      minimum: minNanoseconds, median: medianNanoseconds, maximum: maxNanoseconds, p99: p99Nanoseconds, cost: cost)
  }

  private var cost: ProcessorCost? {
    guard let userNanoseconds, let systemNanoseconds, let switches else { return nil }
    return ProcessorCost(
      userNanoseconds: userNanoseconds, systemNanoseconds: systemNanoseconds, voluntarySwitches: switches)
  }
}

extension Outcome {
  var rows: [Row] {
    spreads.map { subject, spread in
      let isPromise = subject == .promise
      let range = subject == workload.reference(of: subject) ? nil : ratioRange(of: subject)
      return Row(
        workload: workload.id, subject: subject.rawValue, n: units(of: subject),
        minNanoseconds: spread.minimum, medianNanoseconds: spread.median, maxNanoseconds: spread.maximum,
        p99Nanoseconds: spread.p99, userNanoseconds: spread.cost?.userNanoseconds,
        systemNanoseconds: spread.cost?.systemNanoseconds, switches: spread.cost?.voluntarySwitches,
        ratio: ratio(of: subject), leastRatio: range?.lowerBound,
        mostRatio: range?.upperBound, goal: isPromise ? workload.goal : nil,
        p99Ratio: p99Ratio(of: subject), p99Goal: isPromise ? workload.p99Goal : nil,
        verdict: isPromise ? verdict : "", processes: sessions.count, rounds: rounds, isPinned: isPinned,
        growthBytes: isPromise ? growth : nil)
    }
  }
}

extension Figure {
  var row: Row {
    Row(
      workload: name, subject: subject.rawValue, n: value,
      minNanoseconds: nil, medianNanoseconds: nil, maxNanoseconds: nil, p99Nanoseconds: nil,
      userNanoseconds: nil, systemNanoseconds: nil, switches: nil, ratio: nil, leastRatio: nil, mostRatio: nil,
      goal: goal.map(Double.init), p99Ratio: nil, p99Goal: nil, verdict: verdict, processes: nil, rounds: nil,
      isPinned: nil,
      growthBytes: nil)
  }
}
