/// How thorough a run is.
enum Mode: Sendable {
  case full
  case quick

  /// A median over fewer rounds than this means nothing.
  var fewestRounds: Int { self == .full ? 15 : 3 }

  /// Short rounds are repeated more often than the least, because that costs little and steadies the median.
  var mostRounds: Int { self == .full ? 51 : 15 }

  /// For how long a workload may go on repeating itself once it has had the fewest rounds.
  func budget(for workloads: Int) -> Duration {
    switch self {
    case .full: .seconds(2)
    // The whole run in less than 30 s, whatever the number of workloads.
    case .quick: .seconds(16) / max(workloads, 1)
    }
  }
}
