/// The thoroughness of a run.
enum Mode: Sendable {
  case full
  case quick

  /// The fewest rounds of a workload. With fewer rounds a median is meaningless.
  var fewestRounds: Int { self == .full ? 15 : 3 }

  /// The most rounds of a workload. Short rounds are repeated more often than necessary, because that costs little and
  /// makes the median more stable.
  var mostRounds: Int { self == .full ? 51 : 15 }

  /// Returns how long a workload may repeat its rounds once it has run the fewest rounds.
  func budget(for workloads: Int) -> Duration {
    switch self {
    case .full: .seconds(2)
    // The whole run takes less than 30 s, whatever the number of workloads is.
    case .quick: .seconds(16) / max(workloads, 1)
    }
  }
}
