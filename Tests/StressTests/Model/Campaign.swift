/// Programs of many seeds, one after the other.
struct Campaign {
  let seeds: Range<UInt64>
  var fault: (Step) -> Step? = { $0 }

  struct Tally: CustomStringConvertible {
    var programs = 0
    /// How many the contract left open; the rest of these was not looked at.
    var ambiguous = 0
    var failure: Failure?

    var description: String {
      let share = programs > 0 ? Double(ambiguous * 10_000 / programs) / 100 : 0
      return "\(programs) programs, \(ambiguous) ambiguous (\(share) %)"
    }
  }

  struct Failure: CustomStringConvertible {
    let seed: UInt64
    /// The least that fails.
    let program: [Step]
    let difference: String

    var description: String { "seed \(seed): \(difference)\nin Comparison(\(program))" }
  }

  /// Up to the first that fails, or to when it is told to stop.
  func run(while goesOn: () -> Bool = { true }) -> Tally {
    var tally = Tally()
    for seed in seeds where goesOn() {
      let comparison = Comparison(Generator.program(seed), fault: fault)
      tally.programs += 1
      if comparison.isAmbiguous { tally.ambiguous += 1 }
      guard comparison.difference != nil else { continue }
      tally.failure = failure(of: seed)
      break
    }
    return tally
  }

  private func failure(of seed: UInt64) -> Failure {
    let least = Shrinker.minimum(of: Generator.program(seed)) { Comparison($0, fault: fault).difference != nil }
    return Failure(seed: seed, program: least, difference: Comparison(least, fault: fault).difference ?? "gone")
  }
}
