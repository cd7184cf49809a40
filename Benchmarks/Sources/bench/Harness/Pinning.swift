import CAffinity

/// On which cores a workload runs.
///
/// A round trip to a sleeping worker costs 5 µs when both threads share a core and 40 µs when they do not, and the
/// scheduler flips between the two as it likes. So what is a round trip runs on one core, and what is throughput on
/// all.
enum Pinning: String, Sendable {
  case oneCore = "one"
  case allCores = "all"

  /// Must be called before Dispatch is used: it sizes its pool by the cores it finds at its first use.
  static func prepare() { _ = caffinity_remember_cores() }

  /// Moves all threads of the process. `false`: this system does not let us (nothing but Linux does).
  func apply() -> Bool {
    switch self {
    case .oneCore: caffinity_pin_to_one_core() == 1
    case .allCores: caffinity_use_all_cores() == 1
    }
  }
}
