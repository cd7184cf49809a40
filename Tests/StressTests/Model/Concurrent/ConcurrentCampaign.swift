/// Concurrent programs of many seeds.
struct ConcurrentCampaign {
  let seeds: Range<UInt64>
  var rounds = 100
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
    var failure: String?

    var description: String {
      """
      \(programs) programs, \(runs) runs, \(races) programs with more than one result, \(results) results, \
      \(open) open, \(tooManyStates) with too many orders to look at
      """
    }
  }

  func run(while goesOn: () -> Bool = { true }) -> Tally {
    var tally = Tally()
    for seed in seeds where goesOn() && tally.failure == nil {
      let program = ConcurrentProgram.program(seed)
      guard let run = ConcurrentRun(program) else { continue }
      willRun(seed, program)
      let histories = run.histories(rounds)
      let results = Set(histories)
      tally.programs += 1
      tally.runs += histories.count
      tally.results += results.count
      if results.count > 1 { tally.races += 1 }
      for history in results {
        if let wrong = Self.isWrong(history) {
          tally.failure = "seed \(seed): \(wrong)\nin \(program)"
          break
        }
        switch run.verdict(on: history) {
        case .explained: tally.explained += 1
        case .open: tally.open += 1
        case .tooManyStates: tally.tooManyStates += 1
        case .unexplained:
          tally.failure = "seed \(seed): no order explains \(history)\nin \(program)"
        }
        if tally.failure != nil { break }
      }
    }
    return tally
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
