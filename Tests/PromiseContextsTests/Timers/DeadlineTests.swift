import PromiseContexts
import Testing

@Suite("Durations as deadlines") struct DeadlineTests {
  @Test(
    "Zero and negative durations are due at once",
    arguments: [.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min), Duration(attoseconds: .min)])
  func now(_ duration: Duration) {
    #expect(duration.deadline(from: 1_000) == 1_000)
    #expect(duration.deadline(from: 0) == 0)
  }

  @Test("A duration is counted in nanoseconds and rounded up")
  func counted() {
    #expect(Duration.nanoseconds(1).deadline(from: 5) == 6)
    #expect(Duration.milliseconds(1_500).deadline(from: 5) == 1_500_000_005)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).deadline(from: 5) == 6)
    #expect(Duration(secondsComponent: 2, attosecondsComponent: 1_000_000_001).deadline(from: 5) == 2_000_000_007)
    #expect(
      Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999).deadline(from: 0) == 1_000_000_000)
    // This is a year.
    #expect(Duration.seconds(31_536_000).deadline(from: 1) == 31_536_000_000_000_001)
  }

  @Test(
    "A duration too long to count becomes the latest deadline and does not overflow",
    arguments: [
      .seconds(Int64.max), Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
      .seconds(18_446_744_073), .seconds(18_446_744_074), .seconds(9_223_372_037), .seconds(4_611_686_019),
      Duration(attoseconds: .max),
    ])
  func latest(_ duration: Duration) {
    #expect(duration.deadline(from: 1_000) == Duration.latestDeadline)
    #expect(duration.deadline(from: Duration.latestDeadline) == Duration.latestDeadline)
  }

  @Test("A deadline can reach the latest deadline but not exceed it")
  func edge() {
    let latest = Duration.latestDeadline
    #expect(Duration.nanoseconds(10).deadline(from: latest - 11) == latest - 1)
    #expect(Duration.nanoseconds(10).deadline(from: latest - 10) == latest)
    #expect(Duration.nanoseconds(10).deadline(from: latest - 9) == latest)
    #expect(Duration.seconds(2).deadline(from: latest - 1) == latest)
  }
}
