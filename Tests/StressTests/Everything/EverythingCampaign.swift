import PromiseCombinators
import PromiseTesting
import TestSupport

/// Runs the programs of many seeds, each in two ways: alone, and watched by a recorder, the register and labels.
struct EverythingCampaign {
  let seeds: Range<UInt64>

  /// Runs programs until one breaks a rule or the caller stops the campaign.
  func run(while goesOn: () -> Bool = { true }) -> FailingProgram<[RandomOperation]>? {
    for seed in seeds {
      guard goesOn() else { break }
      let program = OperationGenerator.program(seed)
      guard let found = Self.violations(of: program, seed).first else { continue }
      let rule = found.rule
      print("Seed \(seed) breaks rule \(rule), and is made smaller")
      func fails(_ program: [RandomOperation]) -> Bool {
        Self.violations(of: program, seed).contains { $0.rule == rule }
      }
      let least = OperationGenerator.minimum(of: program, while: fails)
      // A program may fail only now and then. The first failure is kept for that case.
      let texts = ["first \(found)"] + Self.violations(of: least, seed).map(\.description)
      return FailingProgram(
        seed: seed, program: least, difference: "\(seed - seeds.lowerBound + 1) programs, \(texts.prefix(6))")
    }
    return nil
  }

  private struct Result {
    var outcomes: [Int: String] = [:]
    var events: [String] = []
    var violations: [RunLog.Violation] = []
  }

  /// The rules that a program breaks.
  static func violations(of program: [RandomOperation], _ seed: UInt64) -> [RunLog.Violation] {
    let alone = result(of: program, seed, isWatched: false)
    let watched = result(of: program, seed, isWatched: true)
    var violations = alone.violations + watched.violations
    if alone.outcomes != watched.outcomes || alone.events != watched.events {
      let at = zip(alone.events, watched.events).first { $0 != $1 }
      let ids = alone.outcomes.keys.filter { alone.outcomes[$0] != watched.outcomes[$0] }.sorted()
      violations.append(
        RunLog.Violation(
          rule: "watching", text: "outcomes of \(ids) differ, and events from \(String(describing: at))"))
    }
    return violations
  }

  private static func result(of program: [RandomOperation], _ seed: UInt64, isWatched: Bool) -> Result {
    let result = Locked(Result())
    var checks: TestWorld.Checks = [.pendingPromises, .secondSettlements, .timers, .waiting, .objects]
    // No consumer is left for the errors of promises that the program lets go, or of work that a plain `cancel` leaves.
    if !program.contains(where: { [.letGo, .cancel].contains($0.kind) }) { checks.insert(.unhandledRejections) }
    _ = try? TestWorld.explore(schedules: 1, seed: seed, checking: []) { world in
      let log = RunLog()
      let outcomes = outcomes(of: program, in: world, log, isWatched: isWatched)
      world.runUntilIdle()
      do { try world.verify(checks) } catch { log.violate("6.1", "\(error)") }
      result.withLock { $0 = Result(outcomes: outcomes, events: log.events, violations: log.violations) }
    }
    return result.withLock { $0 }
  }

  /// Everything that the program holds is released when this returns.
  private static func outcomes(
    of program: [RandomOperation], in world: TestWorld, _ log: RunLog, isWatched: Bool
  ) -> [Int: String] {
    let run = ProgramRun(in: world, log: log, isWatched: isWatched)
    run.run(program)
    return run.end()
  }
}
