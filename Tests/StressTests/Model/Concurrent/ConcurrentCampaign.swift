/// Concurrent programs of many seeds.
struct ConcurrentCampaign {
  let seeds: Range<UInt64>
  var rounds = 100
  /// How often a smaller program may have to run `rounds` times until it fails.
  var tries = 5
  /// What the promises do in the place of a step of a thread: for tests of the campaign.
  var fault: @Sendable (Step) -> Step? = { $0 }
  /// A rule that the model does not keep.
  var brokenRule: BrokenRule?
  /// Is told each program before it runs: who hangs or crashes says nothing afterwards.
  var willRun: (UInt64, ConcurrentProgram) -> Void = { _, _ in }

  struct Tally: CustomStringConvertible {
    var programs = 0
    var runs = 0
    /// How many programs had more than one result: so many races have happened.
    var races = 0
    var results = 0
    var explained = 0
    var open = 0
    var tooManyStates = 0
    var failure: Failure?

    var description: String {
      """
      \(programs) programs, \(runs) runs, \(races) programs with more than one result, \(results) results, \
      \(open) open, \(tooManyStates) with too many orders to look at
      """
    }
  }

  struct Failure: CustomStringConvertible {
    let seed: UInt64
    /// The least that was seen to fail; what fails only now and then is not as small as it could be.
    let program: ConcurrentProgram
    let difference: String

    var description: String { "seed \(seed): \(difference)\nin \(program)" }
  }

  func run(while goesOn: () -> Bool = { true }) -> Tally {
    var tally = Tally()
    for seed in seeds {
      guard goesOn(), tally.failure == nil else { break }
      let program = ConcurrentProgram.program(seed)
      willRun(seed, program)
      if let difference = difference(in: program, &tally) { tally.failure = failure(of: seed, program, difference) }
    }
    return tally
  }

  /// The same, of one program.
  func difference(in program: ConcurrentProgram) -> String? {
    var tally = Tally()
    return difference(in: program, &tally)
  }

  /// What is wrong with one of many runs.
  private func difference(in program: ConcurrentProgram, _ tally: inout Tally) -> String? {
    guard let run = ConcurrentRun(program, fault: fault, breaking: brokenRule) else { return nil }
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

  private func failure(of seed: UInt64, _ program: ConcurrentProgram, _ difference: String) -> Failure {
    print("Seed \(seed) fails, and is made smaller: \(difference)\nin \(program)")
    var last = difference
    // It may take luck to see it again.
    let least = ConcurrentProgram.minimum(of: program) { candidate in
      for _ in 0..<tries {
        var tally = Tally()
        guard let found = self.difference(in: candidate, &tally) else { continue }
        last = found
        return true
      }
      return false
    }
    return Failure(seed: seed, program: least, difference: last)
  }

  /// What must hold whatever the order was.
  private static func isWrong(_ history: History) -> String? {
    let handlers = (history.threads.joined().flatMap(\.events) + history.tail.flatMap(\.seen.events)).compactMap {
      event in
      if case .ran(let handler, _) = event { handler } else { nil }
    }
    if Set(handlers).count != handlers.count { return "a handler ran twice: \(handlers)" }
    if history.countOfLeft > 0 { return "\(history.countOfLeft) promises and captures are alive at the end" }
    return nil
  }
}
