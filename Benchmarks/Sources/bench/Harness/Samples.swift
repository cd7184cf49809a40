/// What the rounds of one subject took, in nanoseconds per unit.
struct Samples: Sendable {
  private(set) var all: [Double] = []

  mutating func append(_ nanoseconds: Double) { all.append(nanoseconds) }

  var minimum: Double { all.min() ?? .nan }
  var maximum: Double { all.max() ?? .nan }

  /// The middle one; of an even number the mean of the two in the middle.
  var median: Double {
    guard !all.isEmpty else { return .nan }
    let sorted = all.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
