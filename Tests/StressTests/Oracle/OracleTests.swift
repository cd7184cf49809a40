import TestSupport
import Testing

extension Stress {
  /// The programs of these tests are compared with a second model, which was written without a look at the first.
  @Suite("Random programs and a second model")
  struct OracleTests {
    @Test(
      "Random programs of one thread do what the second model says", .rule("1.1", "1.2", "2.1", "2.5", "3.1"),
      .rule("3.2", "4.0", "4.1", "4.2", "4.3", "4.4", "4.5", "4.10", "6.2"))
    func programs() {
      let seeds = Soak.programs ?? UInt64(Effort.of(2_000, full: 100_000))
      for seed in 0..<seeds {
        var run = OracleRun(seed: Soak.seed << 40 + seed)
        if let difference = run.difference(steps: 20 + Int(seed % 100)) {
          let program = run.steps.enumerated().map { "\($0). \($1)" }.joined(separator: "\n")
          Issue.record("seed \(seed): \(difference)\n\(program)")
          return
        }
        if seed % 1_000 == 0, !Soak.goesOn { return print("Oracle: \(seed) programs") }
      }
      print("Oracle: \(seeds) programs")
    }
  }
}
