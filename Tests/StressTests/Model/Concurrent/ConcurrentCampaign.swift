/// Runs the concurrent programs of many seeds.
struct ConcurrentCampaign {
  let seeds: Range<UInt64>
  var rounds = 100
  /// How often a smaller program may run `rounds` times until it fails.
  var tries = 5
  /// How many failures end the campaign.
  var mostFailures = 1
  /// A rule that the model does not keep, for tests of the campaign.
  var brokenRule: BrokenRule?
  /// Receives each program before it runs, because a run that hangs or crashes prints nothing afterwards.
  var willRun: (UInt64, ConcurrentProgram) -> Void = { _, _ in }

  struct Tally: CustomStringConvertible {
    var programs = 0
    var runs = 0
    /// The number of programs with more than one result, in which races have certainly happened.
    var races = 0
    var results = 0
    var explained = 0
    var open = 0
    var tooManyStates = 0
    var failures: [FailingProgram<ConcurrentProgram>] = []

    var failure: FailingProgram<ConcurrentProgram>? { failures.first }

    var description: String {
      """
      \(programs) programs, \(runs) runs, \(races) programs with more than one result, \(results) results, \
      \(open) open, \(tooManyStates) with too many orders to look at
      """
    }
  }

  func run(while goesOn: () -> Bool = { true }) -> Tally {
    var tally = Tally()
    for seed in seeds {
      guard goesOn(), tally.failures.count < mostFailures else { break }
      let program = ConcurrentProgram.program(seed)
      willRun(seed, program)
      if let difference = difference(in: program, &tally) {
        tally.failures.append(failure(of: seed, program, difference))
      }
    }
    return tally
  }

  /// Returns the difference in one program, if any.
  func difference(in program: ConcurrentProgram) -> String? {
    var tally = Tally()
    return difference(in: program, &tally)
  }

  /// Runs a program many times and returns the first error, if any.
  private func difference(in program: ConcurrentProgram, _ tally: inout Tally) -> String? {
    guard let run = ConcurrentRun(program, breaking: brokenRule) else { return nil }
    let histories = run.histories(rounds)
    let results = Set(histories)
    tally.programs += 1
    tally.runs += histories.count
    tally.results += results.count
    if results.count > 1 { tally.races += 1 }
    for history in results {
      if let wrong = Self.isWrong(history) { return wrong }
      switch run.verdict(on: history) {
      case .explained: tally.explained += 1
      case .open: tally.open += 1
      case .tooManyStates: tally.tooManyStates += 1
      case .unexplained: return "no order explains \(history)"
      }
    }
    return nil
  }

  private func failure(
    of seed: UInt64, _ program: ConcurrentProgram, _ difference: String
  ) -> FailingProgram<ConcurrentProgram> {
    print(source("Seed \(seed) fails, and is made smaller: \(difference)\nin \(program)"))
    var last = difference
    // The failure may recur only with luck.
    let least = ConcurrentProgram.minimum(of: program) { candidate in
      for _ in 0..<tries {
        guard let found = self.difference(in: candidate) else { continue }
        last = found
        return true
      }
      return false
    }
    return FailingProgram(seed: seed, program: least, difference: last)
  }

  /// Returns the invariant that the history breaks, if any. These invariants hold in every order.
  private static func isWrong(_ history: History) -> String? {
    let handlers = (history.threads.joined().flatMap(\.events) + history.tail.flatMap(\.seen.events)).compactMap {
      event in
      if case .ran(let handler, _) = event { handler } else { nil }
    }
    if Set(handlers).count != handlers.count { return "a handler ran twice: \(handlers)" }
    if let difference = history.differenceOfProgress { return difference }
    if history.countOfLeft > 0 { return "\(history.countOfLeft) promises and captures are alive at the end" }
    return nil
  }
}
