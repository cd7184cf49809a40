import Testing

extension Stress {
  /// The random programs under a fault that `Scripts/mutate.py --random` has planted in the library.
  @Suite("Planted faults", .enabled(if: Soak.plantedPrograms != nil))
  struct PlantedFaultTests {
    @Test("Random programs find the planted fault within a number of programs")
    func fault() {
      let seeds = 0..<(Soak.plantedPrograms ?? 0)
      if let failure = Campaign(seeds: seeds).run().failure {
        Self.report("the model", failure)
      } else if let failure = EverythingCampaign(seeds: 0..<seeds.upperBound / 4).run() {
        Self.report("all modules", failure)
      }
    }

    /// Prints a line for the script.
    private static func report<Line>(_ campaign: String, _ failure: FailingProgram<[Line]>) {
      let program = failure.program
      print("Found | \(campaign) | \(failure.seed + 1) | \(program.count) | `\(source(program))`")
    }
  }
}
