import Foundation
import Synchronization

/// The processor time and the voluntary switches of the timed part of a round, for each unit. They are those of all
/// threads of the process together.
///
/// Two threads that wait for each other's cache lines, or wake each other, take more of both times, even if the round
/// takes no longer.
struct ProcessorCost: Sendable, Equatable {
  var userNanoseconds = 0.0
  var systemNanoseconds = 0.0
  /// How often a thread gave its core away because it had to wait.
  var voluntarySwitches = 0.0

  var nanoseconds: Double { userNanoseconds + systemNanoseconds }

  static func + (one: ProcessorCost, other: ProcessorCost) -> ProcessorCost {
    ProcessorCost(
      userNanoseconds: one.userNanoseconds + other.userNanoseconds,
      systemNanoseconds: one.systemNanoseconds + other.systemNanoseconds,
      voluntarySwitches: one.voluntarySwitches + other.voluntarySwitches)
  }

  static func / (cost: ProcessorCost, divisor: Double) -> ProcessorCost {
    ProcessorCost(
      userNanoseconds: cost.userNanoseconds / divisor,
      systemNanoseconds: cost.systemNanoseconds / divisor,
      voluntarySwitches: cost.voluntarySwitches / divisor)
  }

  static func - (one: ProcessorCost, other: ProcessorCost) -> ProcessorCost { one + other / -1 }
}

extension ProcessorCost {
  /// The sum of the stopwatch's measurements since the last call of `take()`, for all units together.
  private static let measured = Mutex<ProcessorCost?>(nil)

  /// Returns the sum of the timed parts of a round, or `nil` if the round was timed without ``Stopwatch``, and resets
  /// it.
  static func take() -> ProcessorCost? {
    measured.withLock { cost in
      defer { cost = nil }
      return cost
    }
  }

  /// Adds the cost of the process since an earlier ``total``.
  static func add(since earlier: ProcessorCost) {
    let part = total - earlier
    measured.withLock { $0 = ($0 ?? ProcessorCost()) + part }
  }

  /// The cost of the process since its start. To read it takes about a microsecond.
  static var total: ProcessorCost {
    var usage = rusage()
    #if canImport(Darwin)
      _ = unsafe getrusage(RUSAGE_SELF, &usage)
    #else
      _ = unsafe getrusage(numericCast(RUSAGE_SELF.rawValue), &usage)
    #endif
    return ProcessorCost(
      userNanoseconds: usage.ru_utime.nanoseconds, systemNanoseconds: usage.ru_stime.nanoseconds,
      voluntarySwitches: Double(usage.ru_nvcsw))
  }
}

extension timeval {
  fileprivate var nanoseconds: Double { (Double(tv_sec) * 1_000_000 + Double(tv_usec)) * 1_000 }
}
