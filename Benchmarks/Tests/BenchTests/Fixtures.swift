@testable import bench

extension Workload {
  /// Returns a workload for tests.
  static func made(
    goal: Double? = 1.10, p99Goal: Double? = nil, subjects: [Subject.Name] = [.gcd, .promise]
  ) -> Workload {
    Workload(
      id: "T1", title: "a < b & c", baseline: "nothing", goal: goal, p99Goal: p99Goal, pinning: .allCores, unit: "unit",
      count: 10, quickCount: 1,
      subjects: subjects.map { Subject($0) { _ in 1 } })
  }
}

extension Outcome {
  /// Returns the outcome of one round of each subject in one process.
  static func made(_ times: [(Subject.Name, Double)], goal: Double? = 1.10) -> Outcome {
    made([times], goal: goal)
  }

  /// Returns the outcome of one round of each subject in several processes.
  static func made(_ processes: [[(Subject.Name, Double)]], goal: Double? = 1.10) -> Outcome {
    made(processes.map { times in times.map { ($0, Timing(nanosecondsPerUnit: $1)) } }, goal: goal, p99Goal: nil)
  }

  static func made(_ times: [(Subject.Name, Timing)], goal: Double?, p99Goal: Double?) -> Outcome {
    made([times], goal: goal, p99Goal: p99Goal)
  }

  static func made(_ processes: [[(Subject.Name, Timing)]], goal: Double?, p99Goal: Double?) -> Outcome {
    let subjects = processes[0].map(\.0)
    return Outcome(
      workload: .made(goal: goal, p99Goal: p99Goal, subjects: subjects), count: 10,
      sessions: processes.map(Session.made))
  }
}

extension Session {
  /// Returns what one round of each subject gives.
  static func made(_ times: [(Subject.Name, Timing)]) -> Session {
    Session(
      rounds: 1, isPinned: true, growth: nil,
      spreads: times.map { name, timing in
        var samples = Samples()
        samples.append(timing)
        return (name, samples.spread(of: .round))
      })
  }
}

extension Report {
  static func made(_ outcomes: [Outcome], _ figures: [Figure] = []) -> Report {
    Report(machine: Machine(facts: [("processor", "any")]), mode: .full, outcomes: outcomes, figures: figures)
  }
}
