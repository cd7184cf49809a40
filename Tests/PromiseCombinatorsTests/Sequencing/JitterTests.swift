import PromiseCombinators
import TestSupport
import Testing

@Suite("Random pauses", .leavingNothing)
struct JitterTests {
  private static let backoff = Backoff.constant(.seconds(1)).jittered()

  /// Returns the times at which an operation makes its attempts.
  private static func times(in world: TestWorld, isAsync: Bool = false) -> [Duration] {
    let times = Log<Duration>()
    let fail: @Sendable () throws -> Int = { [clock = world.clock] in
      times.append(clock.elapsed)
      throw TestError(1)
    }
    let result = world.run {
      isAsync
        ? Promise.asyncRetry(attempts: 6, backoff: backoff) { try fail() }
        : Promise.retry(attempts: 6, backoff: backoff) { .fulfilled(try fail()) }
    }
    world.advance(by: .seconds(6))
    world.expect(result.error is TestError)
    return times.entries
  }

  private func explored(seed: UInt64, isAsync: Bool) throws -> [Duration] {
    var times: [Duration] = []
    try TestWorld.explore(schedules: 1, seed: seed) { times = Self.times(in: $0, isAsync: isAsync) }
    return times
  }

  @Test("The seed of an explored schedule determines the pauses of a jittered backoff", arguments: [false, true])
  func seeds(isAsync: Bool) throws {
    let times = try explored(seed: 7, isAsync: isAsync)
    #expect(times.count == 6 && Set(zip(times, times.dropFirst()).map { $1 - $0 }).count == 5)
    #expect(try explored(seed: 7, isAsync: isAsync) == times)
    #expect(try explored(seed: 8, isAsync: isAsync) != times)
  }

  @Test("Worlds without a seed draw the same pauses")
  func withoutSeed() throws {
    let times = Self.times(in: TestWorld())
    #expect(times.count == 6 && Self.times(in: TestWorld()) == times)
    try TestWorld.exploreAll { world in world.expect(Self.times(in: world) == times) }
  }

  @Test("The system draws the pauses outside a world")
  func outside() {
    let (some, others) = ((1...8).map(Self.backoff.pause), (1...8).map(Self.backoff.pause))
    #expect(some != others && (some + others).allSatisfy { (.zero..<(.seconds(1))).contains($0) })
  }
}
