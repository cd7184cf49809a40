/// The times of the rounds of one subject, in nanoseconds per unit.
struct Samples: Sendable {
  private var rounds: [Double] = []
  private var trips: [UInt32] = []

  mutating func append(_ timing: Timing) {
    rounds.append(timing.nanosecondsPerUnit)
    trips.append(contentsOf: timing.trips)
  }

  /// Returns the minimum, the median and the maximum of the rounds, or of the single trips, and the 99th percentile of
  /// the trips.
  ///
  /// Sorts all trips, of which there may be half a million.
  func spread(of unit: Unit) -> Spread {
    let sortedTrips = trips.sorted().map(Double.init)
    let sorted = unit == .trip ? sortedTrips : rounds.sorted()
    return Spread(
      minimum: sorted.first ?? .nan, median: Self.median(ofSorted: sorted), maximum: sorted.last ?? .nan,
      p99: Self.percentile(99, ofSorted: sortedTrips))
  }

  /// The units whose times are compared.
  enum Unit: Sendable {
    /// A round, by the mean time of its units.
    case round
    /// A single unit for which a caller waits.
    case trip
  }

  /// Returns the middle number, or the mean of the two numbers in the middle.
  private static func median(ofSorted sorted: [Double]) -> Double {
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Returns the smallest number that is at least as large as the given percentage of the numbers, or `nil` if there
  /// are none.
  private static func percentile(_ percent: Int, ofSorted sorted: [Double]) -> Double? {
    sorted.isEmpty ? nil : sorted[(sorted.count * percent + 99) / 100 - 1]
  }
}

/// The statistics of one subject that a report shows.
struct Spread: Sendable {
  let minimum: Double
  let median: Double
  let maximum: Double
  /// The 99th percentile of single trips, or `nil` if trips were not timed one by one.
  let p99: Double?
}
