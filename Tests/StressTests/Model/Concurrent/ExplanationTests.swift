import PromiseCombinators
import Testing

extension Stress {
  @Suite("Random programs of several threads: explanations")
  struct ExplanationTests {
    /// Found by `make soak`: the model knew one order only of what a step brings about when the threads have ended.
    @Test("rule 4.2: what a cancel at the end comes to, before an outcome or after it, is explained")
    func tail() {
      let program = ConcurrentProgram(
        prefix: [.make, .shield(0)], threads: [[.combine(.all(.cancelRemaining), [0, 1])]])
      #expect(ConcurrentCampaign(seeds: 0..<1).difference(in: program) == nil)
    }

    /// Found by `make soak`: the model cancelled what was never made.
    @Test("rule 8.1: what was to be made from a promise that is gone is not made")
    func unmade() {
      let program = ConcurrentProgram(
        prefix: [.make], threads: [[.combine(.race, [0]), .cancel(1, .cancellation)], [.drop(0)]])
      #expect(ConcurrentCampaign(seeds: 0..<1).difference(in: program) == nil)
    }
  }
}
