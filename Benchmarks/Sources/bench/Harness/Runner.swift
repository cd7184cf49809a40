/// Runs workloads and interleaves their subjects.
///
/// In each round all subjects run, one after the other. Every second round runs them in the reverse order. A temporary
/// disturbance of a shared machine therefore affects all subjects, and no subject has the advantage of the first place.
struct Runner {
  let mode: Mode
  /// The number of rounds, or `nil` if the mode determines it.
  let rounds: Int?
  let progress: Progress

  func run(_ workloads: [Workload], _ gauges: [Gauge]) throws -> (outcomes: [Outcome], figures: [Figure]) {
    Watchdog.install()
    defer { progress.end() }
    let total = workloads.count + gauges.count
    let outcomes = try workloads.enumerated().map { index, workload in
      progress.begin(workload.id, workload.title, number: index + 1, of: total)
      return try run(workload, within: mode.budget(for: workloads.count))
    }
    let figures = try gauges.enumerated().flatMap { index, gauge in
      progress.begin(gauge.id, gauge.title, number: workloads.count + index + 1, of: total)
      return try gauge.measure(mode)
    }
    return (outcomes, figures)
  }

  private func run(_ workload: Workload, within budget: Duration) throws -> Outcome {
    let isPinned = workload.pinning.apply()
    defer { _ = Pinning.allCores.apply() }
    let count = workload.count(in: mode)
    var samples = workload.subjects.map { _ in Samples() }

    // The warm-up round fills caches, starts threads and looks up metadata. It is checked as other rounds are, but not
    // counted.
    _ = try round(of: workload, order: Array(workload.subjects.indices), count: count)
    _ = Growth.take()

    let clock = ContinuousClock()
    let start = clock.now
    var rounds = 0
    let fixed = self.rounds ?? workload.rounds(in: mode)
    let (fewest, most) = (fixed ?? mode.fewestRounds, fixed ?? mode.mostRounds)
    while rounds < fewest || rounds < most && clock.now - start < budget {
      progress.round(rounds + 1)
      let forwards = Array(workload.subjects.indices)
      let order = rounds.isMultiple(of: 2) ? forwards : forwards.reversed()
      for (subject, timing) in try round(of: workload, order: order, count: count) {
        samples[subject].append(timing)
      }
      rounds += 1
    }
    return Outcome(
      workload: workload, count: count, rounds: rounds, isPinned: isPinned,
      growth: Growth.take(),
      spreads: zip(workload.subjects, samples).map { ($0.name, $1.spread(of: workload.sampled)) })
  }

  private func round(of workload: Workload, order: [Int], count: Int) throws -> [(subject: Int, timing: Timing)] {
    try order.map { index in
      let subject = workload.subjects[index]
      let timing = try Watchdog.guarding { try subject.run(count / subject.divisor) }
      let nanoseconds = timing.nanosecondsPerUnit
      guard nanoseconds.isFinite, nanoseconds > 0 else {
        throw BenchError.wrongResult("\(workload.id) \(subject.name.rawValue) took \(nanoseconds) ns")
      }
      return (index, timing)
    }
  }
}
