import Foundation
import TestSupport
import Testing

/// The parameters of a soak (`make proof ONLY=soak`), from the environment. The script keeps the time, so the tests
/// look at no clock.
enum Soak {
  static let programs = number("PROMISE_SOAK")
  static let seed = number("PROMISE_SOAK_SEED") ?? 0
  /// How many programs may look for a fault that is planted in the library.
  static let plantedPrograms = number("PROMISE_PLANTED")

  /// How many failures end a soak, which runs long, so that it finds more than the first.
  static let mostFailures = 10

  private static func text(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
  private static func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

  /// Writes the current program to a file, if the environment names a file for it. A run that hangs prints nothing
  /// afterwards.
  static func remember(_ seed: UInt64, _ program: ConcurrentProgram) {
    guard let path = text("PROMISE_SOAK_LAST") else { return }
    try? source("seed \(seed): \(program)\n").write(toFile: path, atomically: false, encoding: .utf8)
  }

  /// Whether the run continues. It stops as soon as the file that the environment names exists.
  static var goesOn: Bool { text("PROMISE_SOAK_STOP").map { !FileManager.default.fileExists(atPath: $0) } ?? true }
}

extension Stress {
  @Suite("Soak", .enabled(if: Soak.programs != nil))
  struct SoakTests {
    @Test("A million random programs match the model")
    func sequential() {
      // The seeds of different runs are far apart.
      let first = Soak.seed << 40
      var campaign = Campaign(seeds: first..<first + (Soak.programs ?? 0))
      campaign.mostFailures = Soak.mostFailures
      let tally = campaign.runOnAllCores { Soak.goesOn }
      print("Soak, seed \(Soak.seed): \(tally)")
      for failure in tally.failures { Issue.record("\(failure)") }
    }

    @Test("Random programs over all modules keep the rules that hold for each program")
    func everything() {
      let first = Soak.seed << 40
      var seeds = first..<first + (Soak.programs ?? 0) / 20
      for _ in 0..<Soak.mostFailures {
        guard let failure = EverythingCampaign(seeds: seeds).run(while: { Soak.goesOn }) else { return }
        Issue.record("\(failure)")
        seeds = failure.seed + 1..<seeds.upperBound
      }
    }

    /// Runs as many programs as fit into the time.
    @Test("Some order of actions explains the observations of random programs on several threads")
    func concurrent() {
      let first = Soak.seed << 40
      var campaign = ConcurrentCampaign(seeds: first..<first + (Soak.programs ?? 0) / 100)
      campaign.willRun = Soak.remember
      campaign.mostFailures = Soak.mostFailures
      let tally = campaign.run { Soak.goesOn }
      print("Soak of several threads, seed \(Soak.seed): \(tally)")
      for failure in tally.failures { Issue.record("\(failure)") }
    }
  }
}
