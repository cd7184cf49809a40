import CAffinity

/// The cores on which a workload runs.
///
/// A round trip to a sleeping worker takes 5 µs if both threads share a core and 40 µs if they do not, and the
/// scheduler switches between the two at random. Therefore round trips run on one core, and measurements of throughput
/// on all cores.
enum Pinning: String, Sendable {
  case oneCore = "one"
  case allCores = "all"

  /// Remembers the available cores. Must be called before the first use of Dispatch, which sizes its pool by the
  /// available cores.
  static func prepare() { _ = caffinity_remember_cores() }

  /// Moves all threads of the process to the cores. Returns `false` if the system does not allow it. Only Linux does.
  func apply() -> Bool {
    switch self {
    case .oneCore: caffinity_pin_to_one_core() == 1
    case .allCores: caffinity_use_all_cores() == 1
    }
  }
}
