import Foundation
import TestSupport

/// Compares the programs of many seeds, one after another.
struct Campaign: Sendable {
  var seeds: Range<UInt64>
  var fault: @Sendable (Step) -> Step? = { $0 }
  var brokenRule: BrokenRule?
  /// How many failures end the campaign.
  var mostFailures = 1

  struct Tally: CustomStringConvertible {
    var programs = 0
    /// The number of programs that another order explains.
    var reordered = 0
    /// The numbers of programs that were compared only in part, because the contract leaves them open or because there
    /// were too many orders.
    var open = 0
    var tooMany = 0
    var failures: [FailingProgram<[Step]>] = []

    var failure: FailingProgram<[Step]>? { failures.first }

    mutating func add(_ other: Tally) {
      programs += other.programs
      reordered += other.reordered
      open += other.open
      tooMany += other.tooMany
      failures += other.failures
    }

    var description: String {
      "\(programs) programs, \(reordered) in another order, \(open) open, \(tooMany) with too many orders"
    }
  }

  /// Compares programs until enough have failed or the caller stops the campaign.
  func run(while goesOn: () -> Bool = { true }) -> Tally {
    var tally = Tally()
    for seed in seeds {
      guard goesOn() else { break }
      let comparison = compare(Generator.program(seed))
      tally.programs += 1
      switch comparison.verdict {
      case .same: continue
      case .sameInAnotherOrder: tally.reordered += 1
      case .open: tally.open += 1
      case .tooManyOrders: tally.tooMany += 1
      case .different:
        tally.failures.append(failure(of: seed))
        if tally.failures.count == mostFailures { return tally }
      }
    }
    return tally
  }

  /// Runs the campaign on all cores.
  func runOnAllCores(while goesOn: @escaping @Sendable () -> Bool = { true }) -> Tally {
    let cores = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let share = UInt64(seeds.count) / cores
    let sum = Locked(Tally())
    race(
      (0..<cores).map { core in
        {
          let first = seeds.lowerBound + core * share
          let end = core == cores - 1 ? seeds.upperBound : first + share
          var part = self
          part.seeds = first..<end
          let tally = part.run(while: goesOn)
          sum.withLock { $0.add(tally) }
        }
      })
    return sum.withLock { $0 }
  }

  private func failure(of seed: UInt64) -> FailingProgram<[Step]> {
    print("Seed \(seed) fails, and is made smaller")
    let least = Shrinker.minimum(of: Generator.program(seed)) { compare($0).difference != nil }
    return FailingProgram(seed: seed, program: least, difference: compare(least).difference ?? "gone")
  }

  private func compare(_ program: [Step]) -> Comparison { Comparison(program, fault: fault, breaking: brokenRule) }
}

/// A program that was made smaller because it fails. It may not be minimal if it fails only now and then.
struct FailingProgram<Program>: CustomStringConvertible {
  let seed: UInt64
  /// The smallest failing program that was found.
  let program: Program
  let difference: String

  var description: String { source("seed \(seed): \(difference)\nin \(program)") }
}
