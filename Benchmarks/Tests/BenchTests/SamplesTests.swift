import Testing

@testable import bench

@Suite("samples")
struct SamplesTests {
  @Test("the median is the middle one, of an even number the mean of the two in the middle")
  func median() {
    #expect(spread(3, 1, 2).median == 2)
    #expect(spread(4, 1, 3, 2).median == 2.5)
    #expect(spread(7).median == 7)
  }

  @Test("the least and the most are found, whatever the order")
  func ends() {
    #expect(spread(3, 1, 2).minimum == 1)
    #expect(spread(3, 1, 2).maximum == 3)
  }

  @Test("of no samples nothing is a number")
  func none() {
    #expect(spread().median.isNaN && spread().minimum.isNaN && spread().maximum.isNaN)
    #expect(spread().p99 == nil)
  }

  @Test("at least 99 of 100 trips take no longer than the 99th percentile, and no shorter time has this property")
  func p99() {
    #expect(trips([Array(1...100)]).p99 == 99)
    #expect(trips([Array((1...100).reversed())]).p99 == 99)
    #expect(trips([Array(1...101)]).p99 == 100)
    #expect(trips([Array(1...10)]).p99 == 10)
    #expect(trips([[5]]).p99 == 5)
  }

  @Test("the 99th percentile is that of the trips of all rounds together")
  func p99OfAllRounds() {
    #expect(trips([Array(1...50), Array(51...100)]).p99 == 99)
  }

  @Test("the median is that of the rounds, or of the single trips if these are sampled")
  func units() {
    let rounds: [[UInt32]] = [[1, 1, 10], [2, 2, 20]]
    #expect(trips(rounds, of: .round).median == 6)
    #expect(trips(rounds, of: .trip).median == 2)
    #expect(trips(rounds, of: .round).maximum == 8)
    #expect(trips(rounds, of: .trip).maximum == 20)
  }

  @Test("laps are as many as the trips, and the round takes as long as its trips together")
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
