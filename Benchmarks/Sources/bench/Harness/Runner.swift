/// Runs workloads, each in several processes, and interleaves their subjects.
///
/// In each round all subjects run, one after the other. Every second round runs them in the reverse order, and each
/// process begins with another subject. A temporary disturbance of a shared machine therefore affects all subjects, and
/// no subject has the advantage of the first place.
struct Runner {
  let mode: Mode
  /// The number of rounds of a process, or `nil` if the mode determines it.
  let rounds: Int?
  /// The number of processes for each workload, or `nil` if the mode determines it. One process is this one.
  var processes: Int?
  /// Which part of a measurement this process does for another process.
  var share = Share.whole
  let progress: Progress

  func run(_ workloads: [Workload], _ gauges: [Gauge]) throws -> (outcomes: [Outcome], figures: [Figure]) {
    Watchdog.install()
    defer { progress.end() }
    let total = workloads.count + gauges.count
    let outcomes = try workloads.enumerated().map { index, workload in
      progress.begin(workload.id, workload.title, number: index + 1, of: total)
      return Outcome(
        workload: workload, count: workload.count(in: mode),
        sessions: try sessions(of: workload, within: mode.budget(for: workloads.count)))
    }
    let figures = try gauges.enumerated().flatMap { index, gauge in
      progress.begin(gauge.id, gauge.title, number: workloads.count + index + 1, of: total)
      return try gauge.measure(mode)
    }
    return (outcomes, figures)
  }

  /// Measures workloads with this library and with that of another program, in processes that alternate.
  func compare(_ workloads: [Workload], with base: FreshProcess) throws -> [Comparison] {
    defer { progress.end() }
    return try workloads.enumerated().map { index, workload in
      progress.begin(workload.id, workload.title, number: index + 1, of: workloads.count)
      let count = processes ?? Workload.processesOfBursts
      let pairs = try (1...count).map { number in
        progress.round(number)
        let share = Share(number: number, count: count)
        func measure(_ program: FreshProcess) throws -> Session {
          try program.measure(workload, share: share, mode: mode, rounds: rounds)
        }
        guard number.isMultiple(of: 2) else {
          let before = try measure(base)
          return Comparison.Pair(base: before, own: try measure(.own))
        }
        let own = try measure(.own)
        return Comparison.Pair(base: try measure(base), own: own)
      }
      return Comparison(workload: workload, pairs: pairs)
    }
  }

  private func sessions(of workload: Workload, within budget: Duration) throws -> [Session] {
    let count = share == .whole ? processes ?? workload.processes(in: mode) : 1
    guard count > 1 else { return [try session(of: workload, within: budget / share.count)] }
    return try (1...count).map { number in
      progress.round(number)
      let share = Share(number: number, count: count)
      return try FreshProcess.own.measure(workload, share: share, mode: mode, rounds: rounds)
    }
  }

  private func session(of workload: Workload, within budget: Duration) throws -> Session {
    let isPinned = workload.pinning.apply()
    defer { _ = Pinning.allCores.apply() }
    let count = workload.count(in: mode)
    var samples = workload.subjects.map { _ in Samples() }
    let first = (share.number - 1) % workload.subjects.count
    let forwards = workload.subjects.indices.map { ($0 + first) % workload.subjects.count }

    // The warm-up round fills caches, starts threads and looks up metadata. It is checked as other rounds are, but not
    // counted.
    _ = try round(of: workload, order: forwards, count: count)
    _ = Growth.take()

    let clock = ContinuousClock()
    let start = clock.now
    var rounds = 0
    let fixed = self.rounds ?? workload.rounds(in: mode).map(share.rounds(of:))
    let fewest = fixed ?? share.rounds(of: mode.fewestRounds)
    let most = fixed ?? mode.mostRounds
    while rounds < fewest || rounds < most && clock.now - start < budget {
      progress.round(rounds + 1)
      let order = rounds.isMultiple(of: 2) ? forwards : forwards.reversed()
      for (subject, timing) in try round(of: workload, order: order, count: count) {
        samples[subject].append(timing)
      }
      rounds += 1
    }
    return Session(
      rounds: rounds, isPinned: isPinned, growth: Growth.take(),
      spreads: zip(workload.subjects, samples).map { ($0.name, $1.spread(of: workload.sampled)) })
  }

  private func round(of workload: Workload, order: [Int], count: Int) throws -> [(subject: Int, timing: Timing)] {
    try order.map { index in
      let subject = workload.subjects[index]
      let units = count / subject.divisor
      _ = ProcessorCost.take()
      var timing = try Watchdog.guarding { try subject.run(units) }
      timing.cost = ProcessorCost.take().map { $0 / Double(units) }
      let nanoseconds = timing.nanosecondsPerUnit
      guard nanoseconds.isFinite, nanoseconds > 0 else {
        throw BenchError.wrongResult("\(workload.id) \(subject.name.rawValue) took \(nanoseconds) ns")
      }
      return (index, timing)
    }
  }
}
