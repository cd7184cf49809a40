@testable import bench

extension Workload {
  /// Not one of those that are run.
  static func made(goal: Double? = 1.10, subjects: [Subject.Name] = [.gcd, .promise]) -> Workload {
    Workload(
      id: "T1", title: "a < b & c", baseline: "nothing", goal: goal, pinning: .allCores, unit: "unit", count: 10,
      quickCount: 1,
      subjects: subjects.map { Subject($0) { _ in 1 } })
  }
}

extension Outcome {
  /// One round of each subject.
  static func made(_ times: [(Subject.Name, Double)], goal: Double? = 1.10) -> Outcome {
    Outcome(
      workload: .made(goal: goal, subjects: times.map(\.0)), count: 10, rounds: 1, isPinned: true, growth: nil,
      samples: times.map { name, time in
        var samples = Samples()
        samples.append(time)
        return (name, samples)
      })
  }
}

extension Report {
  static func made(_ outcomes: [Outcome], _ figures: [Figure] = []) -> Report {
    Report(machine: Machine(facts: [("processor", "any")]), mode: .full, outcomes: outcomes, figures: figures)
  }
}
