import CLoad
import Foundation
import PromiseCombinators

/// A condition under which the loads run briefly. Afterwards the same must hold as after a long run.
enum Fault: String, CaseIterable {
  /// `ulimit -n 64`, of which files of another part of the program take all but a few from time to time.
  case descriptors
  /// Memory for the population and little more. Answers that would not fit into it fail.
  case memory
  /// All threads share one core.
  case core
  /// The process is stopped and continued.
  case stopped
  /// A handler blocks a thread of the pool all the time.
  case blocked
  /// Single threads are stopped for a while, wherever they are.
  case threads
  /// The clock of all timers jumps forwards and backwards.
  case clock

  /// Makes what must exist before the loads, and changes what they use.
  func prepare(_ surroundings: inout Surroundings) throws {
    switch self {
    case .descriptors: try DescriptorFault.limit()
    case .core: guard use_one_core() == 0 else { throw UsageError(text: "the core cannot be chosen") }
    case .clock:
      let clock = SteppedTimers()
      surroundings.timers = CountedTimers(clock)
      surroundings.clock = clock
      surroundings.limitsMayExpire = true
    case .threads: stop_threads_by_signal(500)
    case .memory, .stopped, .blocked: break
    }
  }

  /// Holds the condition while the loads run, and ends it.
  ///
  /// - Returns: complaints.
  func hold(during run: LoadRun, seconds: Double) throws -> [String] {
    switch self {
    case .descriptors: return DescriptorFault.hold(during: run, seconds: seconds)
    case .memory: return try MemoryFault.hold(during: run, seconds: seconds)
    case .stopped: return try StopFault.stopProcess(during: run, seconds: seconds)
    case .blocked: return try StopFault.blockHandler(during: run, seconds: seconds)
    case .threads: return StopFault.stopThreads(during: run, seconds: seconds)
    case .clock: return run.surroundings.clock?.hold(during: run, seconds: seconds) ?? ["there is no clock"]
    case .core:
      run.wait(seconds: seconds, interval: seconds)
      return []
    }
  }

  /// Whether an operation may fail like this under the condition. No other failure is allowed.
  func allows(_ failure: String, of load: String) -> Bool {
    switch (self, load) {
    case (.descriptors, "commands"): failure.contains("Too many open files")
    case (.descriptors, "requests"): failure.contains("NSURLErrorDomain") || failure.contains("URLError")
    case (.descriptors, "connections"): failure.contains("errno: 24") || failure.contains("Too many open files")
    default: false
    }
  }
}
