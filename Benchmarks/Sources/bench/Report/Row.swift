/// One row of `results.json`: a workload and one of its subjects. The names of the fields are a contract.
///
/// What is measured once is a row too. Its `workload` says what was counted ("M1 promise bytes"), its `n` is the figure, and
/// `goal` the highest figure that meets it; the times and the ratio are `null`.
struct Row: Encodable {
  let workload: String
  let subject: String
  /// How many units each round timed.
  let n: Int
  /// Per unit.
  let minNanoseconds: Double?
  let medianNanoseconds: Double?
  let maxNanoseconds: Double?
  /// To the median of the workload's `reference`; `null` where one subject ran alone.
  let ratio: Double?
  /// For the promise subject only, else `null`.
  let goal: Double?

  private enum CodingKeys: String, CodingKey {
    case workload, subject, n
    case minNanoseconds = "min_ns"
    case medianNanoseconds = "median_ns"
    case maxNanoseconds = "max_ns"
    case ratio, goal
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload, forKey: .workload)
    try container.encode(subject, forKey: .subject)
    try container.encode(n, forKey: .n)
    // Written as `null` and not left out, so that every row has the same fields.
    try container.encode(minNanoseconds, forKey: .minNanoseconds)
    try container.encode(medianNanoseconds, forKey: .medianNanoseconds)
    try container.encode(maxNanoseconds, forKey: .maxNanoseconds)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(goal, forKey: .goal)
  }
}

extension Outcome {
  var rows: [Row] {
    samples.map { subject, samples in
      Row(
        workload: workload.id, subject: subject.rawValue, n: count,
        minNanoseconds: samples.minimum, medianNanoseconds: samples.median, maxNanoseconds: samples.maximum,
        ratio: ratio(of: subject), goal: subject == .promise ? goal : nil)
    }
  }
}

extension Figure {
  var row: Row {
    Row(
      workload: name, subject: Subject.Name.promise.rawValue, n: value,
      minNanoseconds: nil, medianNanoseconds: nil, maxNanoseconds: nil, ratio: nil, goal: Double(goal))
  }
}
