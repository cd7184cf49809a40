/// The times of the rounds of one subject, in nanoseconds per unit.
struct Samples: Sendable {
  private var rounds: [Double] = []
  private var trips: [UInt32] = []
  private var costs: [ProcessorCost] = []

  mutating func append(_ timing: Timing) {
    rounds.append(timing.nanosecondsPerUnit)
    trips.append(contentsOf: timing.trips)
    if let cost = timing.cost { costs.append(cost) }
  }

  /// Returns the minimum, the median and the maximum of the rounds, or of the single trips, and the 99th percentile of
  /// the trips. The processor cost is the mean of all rounds, because the system divides the time of a short round into
  /// user and system time by chance.
  ///
  /// Sorts all trips, of which there may be half a million.
  func spread(of unit: Unit) -> Spread {
    let sortedTrips = trips.sorted().map(Double.init)
    let sorted = unit == .trip ? sortedTrips : rounds.sorted()
    return Spread(
      minimum: sorted.first ?? .nan, median: sorted.median, maximum: sorted.last ?? .nan,
      p99: Self.percentile(99, ofSorted: sortedTrips),
      cost: costs.isEmpty ? nil : costs.reduce(ProcessorCost(), +) / Double(costs.count))
  }

  /// The units whose times are compared.
  enum Unit: Sendable {
    /// A round, by the mean time of its units.
    case round
    /// A single unit for which a caller waits.
    case trip
  }

  /// Returns the smallest number that is at least as large as the given percentage of the numbers, or `nil` if there
  /// are none.
  private static func percentile(_ percent: Int, ofSorted sorted: [Double]) -> Double? {
    sorted.isEmpty ? nil : sorted[(sorted.count * percent + 99) / 100 - 1]
  }
}

extension [Double] {
  /// The middle number, the mean of the two numbers in the middle, or `nan` if there are none.
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
