import Testing

@testable import bench

@Suite("Statistics of samples")
struct SamplesTests {
  @Test("The median is the middle sample, or the mean of the two middle samples")
  func median() {
    #expect(spread(3, 1, 2).median == 2)
    #expect(spread(4, 1, 3, 2).median == 2.5)
    #expect(spread(7).median == 7)
  }

  @Test("The minimum and the maximum do not depend on the order of the samples")
  func ends() {
    #expect(spread(3, 1, 2).minimum == 1)
    #expect(spread(3, 1, 2).maximum == 3)
  }

  @Test("A spread of no samples has no numbers")
  func none() {
    #expect(spread().median.isNaN && spread().minimum.isNaN && spread().maximum.isNaN)
    #expect(spread().p99 == nil)
  }

  @Test("The 99th percentile is the shortest time that at least 99 of 100 trips do not exceed")
  func p99() {
    #expect(trips([Array(1...100)]).p99 == 99)
    #expect(trips([Array((1...100).reversed())]).p99 == 99)
    #expect(trips([Array(1...101)]).p99 == 100)
    #expect(trips([Array(1...10)]).p99 == 10)
    #expect(trips([[5]]).p99 == 5)
  }

  @Test("The 99th percentile covers the trips of all rounds together")
  func p99OfAllRounds() {
    #expect(trips([Array(1...50), Array(51...100)]).p99 == 99)
  }

  @Test("The median covers the rounds, or the single trips if trips are sampled")
  func units() {
    let rounds: [[UInt32]] = [[1, 1, 10], [2, 2, 20]]
    #expect(trips(rounds, of: .round).median == 6)
    #expect(trips(rounds, of: .trip).median == 2)
    #expect(trips(rounds, of: .round).maximum == 8)
    #expect(trips(rounds, of: .trip).maximum == 20)
  }

  @Test("Each lap is recorded as a trip, and the round takes as long as its trips together")
  func laps() {
    var laps = Laps(capacity: 3)
    for _ in 0..<3 { laps.lap() }
    let timing = laps.timing
    #expect(timing.trips.count == 3)
    #expect(timing.nanosecondsPerUnit * 3 == Double(timing.trips.reduce(0, +)))
  }

  private func spread(_ times: Double...) -> Spread {
    times.reduce(into: Samples()) { $0.append(Timing(nanosecondsPerUnit: $1)) }.spread(of: .round)
  }

  private func trips(_ rounds: [[UInt32]], of unit: Samples.Unit = .round) -> Spread {
    rounds.reduce(into: Samples()) { samples, trips in
      let mean = Double(trips.reduce(0, +)) / Double(trips.count)
      samples.append(Timing(nanosecondsPerUnit: mean, trips: trips))
    }.spread(of: unit)
  }
}
