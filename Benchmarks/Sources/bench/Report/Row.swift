/// One row of `results.json`, for a workload and one of its subjects. The names of the fields are a contract.
///
/// A figure of a gauge is a row, too. Its `workload` is the name of the figure ("M1 promise bytes"), its `n` is the
/// value, and its `goal` is the highest value that meets the goal. The times and the ratios are `null`.
struct Row: Encodable {
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
  /// The ratio to the median of the workload's `reference`, or `null` if only one subject ran.
  let ratio: Double?
  /// The goal of the promise subject, or `null` for other subjects.
  let goal: Double?
  /// The ratio and the goal of the 99th percentiles, or `null` if there is none.
  let p99Ratio: Double?
  let p99Goal: Double?

  private enum CodingKeys: String, CodingKey {
    case workload, subject, n
    case minNanoseconds = "min_ns"
    case medianNanoseconds = "median_ns"
    case maxNanoseconds = "max_ns"
    case p99Nanoseconds = "p99_ns"
    case ratio, goal
    case p99Ratio = "p99_ratio"
    case p99Goal = "p99_goal"
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
    try container.encode(ratio, forKey: .ratio)
    try container.encode(goal, forKey: .goal)
    try container.encode(p99Ratio, forKey: .p99Ratio)
    try container.encode(p99Goal, forKey: .p99Goal)
  }
}

extension Outcome {
  var rows: [Row] {
    spreads.map { subject, spread in
      let isPromise = subject == .promise
      return Row(
        workload: workload.id, subject: subject.rawValue, n: units(of: subject),
        minNanoseconds: spread.minimum, medianNanoseconds: spread.median, maxNanoseconds: spread.maximum,
        p99Nanoseconds: spread.p99, ratio: ratio(of: subject), goal: isPromise ? goal : nil,
        p99Ratio: p99Ratio(of: subject), p99Goal: isPromise ? workload.p99Goal : nil)
    }
  }
}

extension Figure {
  var row: Row {
    Row(
      workload: name, subject: subject.rawValue, n: value,
      minNanoseconds: nil, medianNanoseconds: nil, maxNanoseconds: nil, p99Nanoseconds: nil,
      ratio: nil, goal: goal.map(Double.init), p99Ratio: nil, p99Goal: nil)
  }
}
