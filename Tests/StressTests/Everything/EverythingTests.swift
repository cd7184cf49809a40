import PromiseTesting
import TestSupport
import Testing

extension Stress {
  @Suite("Random programs of all operators", .leavingNothing)
  struct EverythingTests {
    /// A failure names the seed, which reproduces the program, and the smallest failing program.
    @Test(
      "Random programs over all modules keep the rules that hold for each program",
      .rule("1.3", "2.1", "2.5", "2.10", "2.11", "4.2", "4.5", "4.6", "4.11", "5.1", "5.2", "6.1", "6.2"))
    func everything() {
      let campaign = EverythingCampaign(seeds: 0..<UInt64(Effort.of(500, full: 20_000)))
      let failure = campaign.run()
      if let failure { Issue.record("\(failure)") }
    }
  }
}
