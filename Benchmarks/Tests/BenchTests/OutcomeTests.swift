import Testing

@testable import bench

@Suite("Outcomes of workloads")
struct OutcomeTests {
  @Test("The ratio compares medians, and its base is GCD if GCD was measured")
  func ratio() {
    let outcome = Outcome.made([(.gcd, 100), (.promise, 150), (.concurrency, 400)])
    #expect(outcome.ratio(of: .promise) == 1.5)
    #expect(outcome.ratio(of: .concurrency) == 4)
    #expect(Outcome.made([(.concurrency, 100), (.promise, 50)]).ratio(of: .promise) == 0.5)
  }

  @Test("The ratio of the library to itself uses the baseline, and the ratio of objects the baseline of objects")
  func ownBaseline() {
    let outcome = Outcome.made([(.baseline, 100), (.promise, 70), (.objectsBaseline, 40), (.objects, 20)])
    #expect(outcome.ratio(of: .promise) == 0.7)
    #expect(outcome.ratio(of: .objects) == 0.5)
    #expect(outcome.ratio(of: .objectsBaseline) == 1)
  }

  @Test("A subject that ran alone has neither ratio nor verdict")
  func alone() {
    #expect(Outcome.made([(.promise, 150)]).ratio(of: .promise) == nil)
    #expect(Outcome.made([(.promise, 150)]).verdict == "")
    #expect(Outcome.made([(.gcd, 150)]).ratio(of: .gcd) == nil)
  }

  @Test("A ratio that prints as the goal meets the goal")
  func verdict() {
    #expect(Outcome.made([(.gcd, 1_000), (.promise, 1_104)]).verdict == "met")
    #expect(Outcome.made([(.gcd, 1_000), (.promise, 1_106)]).verdict == "missed by 0.01")
    #expect(Outcome.made([(.gcd, 1_000), (.promise, 2_000)], goal: nil).verdict == "")
  }

  @Test("The ratio is the median of the ratios of all processes, each of which has its own baseline")
  func processes() {
    let outcome = Outcome.made([
      [(.gcd, 100), (.promise, 150)], [(.gcd, 400), (.promise, 480)], [(.gcd, 200), (.promise, 180)],
    ])
    #expect(outcome.ratio(of: .promise) == 1.2)
    #expect(outcome.ratioRange(of: .promise) == 0.9...1.5)
    #expect(outcome.rounds == 3)
    #expect(Outcome.made([(.gcd, 100), (.promise, 150)]).ratioRange(of: .promise) == nil)
  }

  @Test("If the ratios of some processes meet the goal and others miss it, the verdict is that the run cannot tell")
  func cannotTell() {
    func verdict(_ ratios: Double...) -> String {
      Outcome.made(ratios.map { [(.gcd, 100), (.promise, $0 * 100)] }, goal: 1.00).verdict
    }
    #expect(verdict(0.9, 1.0, 1.004) == "met")
    #expect(verdict(0.9, 0.95, 1.01) == "cannot tell")
    #expect(verdict(1.004, 1.2, 1.4) == "cannot tell")
    #expect(verdict(1.01, 1.3, 1.2) == "missed by 0.20")
  }

  @Test("The ratio of the 99th percentiles has its own goal and verdict")
  func p99() {
    func outcome(median: Double, p99: UInt32) -> Outcome {
      .made(
        [
          (.gcd, Timing(nanosecondsPerUnit: 100, trips: [1_000])),
          (.promise, Timing(nanosecondsPerUnit: median, trips: [p99])),
        ], goal: 1.00, p99Goal: 1.05)
    }
    #expect(outcome(median: 90, p99: 1_200).p99Ratio(of: .promise) == 1.2)
    #expect(outcome(median: 90, p99: 1_054).verdict == "met")
    #expect(outcome(median: 90, p99: 1_200).verdict == "median met, p99 missed by 0.15")
    #expect(outcome(median: 120, p99: 1_000).verdict == "median missed by 0.20, p99 met")
    #expect(outcome(median: 120, p99: 1_000).medianVerdict == "missed by 0.20")
    #expect(outcome(median: 120, p99: 1_000).rows.map(\.p99Goal) == [nil, 1.05])
    #expect(Outcome.made([(.gcd, 100), (.promise, 90)]).p99Ratio(of: .promise) == nil)
  }

  @Test("A subject may have fewer units in a round, and its row shows how many")
  func fewerUnits() throws {
    let subjects = [Subject(.gcd) { Double($0) }, Subject(.concurrency) { Double($0) }.withUnits(dividedBy: 5)]
    let workload = Workload(
      id: "T2", title: "units", baseline: "units", goal: nil, pinning: .allCores, unit: "unit", count: 10,
      quickCount: 10, subjects: subjects)
    let runner = Runner(mode: .quick, rounds: 1, progress: Progress())
    let outcome = try #require(try runner.run([workload], []).outcomes.first)
    #expect(outcome.rows.map(\.n) == [10, 2])
    #expect(outcome.rows.map(\.medianNanoseconds) == [10, 2])
    #expect(Table([outcome]).text.split(separator: "\n").last?.split(separator: " ").prefix(2) == ["concurrency", "2"])
  }

  @Test("A workload may fix its number of rounds, which the caller can override")
  func fixedRounds() throws {
    let workload = Workload(
      id: "T3", title: "rounds", baseline: "rounds", goal: nil, pinning: .allCores, unit: "unit", count: 1,
      quickCount: 1, rounds: (full: 4, quick: 2), subjects: [Subject(.gcd) { _ in 1 }])
    func rounds(_ mode: Mode, _ asked: Int?) throws -> Int? {
      try Runner(mode: mode, rounds: asked, processes: 1, progress: Progress()).run([workload], []).outcomes.first?
        .rounds
    }
    #expect(try rounds(.full, nil) == 4)
    #expect(try rounds(.quick, nil) == 2)
    #expect(try rounds(.full, 1) == 1)
  }

  @Test("A figure that equals its goal meets the goal")
  func figure() {
    #expect(Figure(name: "T1", value: 80, goal: 80).verdict == "met")
    #expect(Figure(name: "T1", value: 96, goal: 80).verdict == "missed by 16")
    #expect(Figure(name: "T1", value: 96, goal: nil).verdict == "")
  }
}
