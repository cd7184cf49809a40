import PromiseCombinators
import TestSupport
import Testing

@Suite("Random pauses", .leavingNothing)
struct JitterTests {
  private static let backoff = Backoff.constant(.seconds(1)).jittered()

  /// Returns the times at which an operation makes its attempts.
  private typealias Attempts = @Sendable (TestWorld) -> [Duration]

  private static let retry: Attempts = { world in
    times(in: world) { attempt in
      Promise<Int>.retry(attempts: 6, backoff: backoff) {
        attempt()
        throw TestError(1)
      }
    }
  }

  private static let asyncRetry: Attempts = { world in
    times(in: world) { attempt in
      Promise<Int>.asyncRetry(attempts: 6, backoff: backoff) {
        attempt()
        throw TestError(1)
      }
    }
  }

  private static func times(in world: TestWorld, _ start: (@escaping @Sendable () -> Void) -> Promise<Int>)
    -> [Duration]
  {
    let times = Log<Duration>()
    let result = world.run { start { [clock = world.clock] in times.append(clock.elapsed) }.recover { _ in 0 } }
    world.advance(by: .seconds(6))
    world.expect(result.isFulfilled)
    return times.entries
  }

  private func explored(_ attempts: Attempts, seed: UInt64) throws -> [Duration] {
    var times: [Duration] = []
    try TestWorld.explore(schedules: 1, seed: seed) { times = attempts($0) }
    return times
  }

  @Test(
    "The seed of an explored schedule determines the pauses of a jittered backoff",
    arguments: [false, true])
  func seeds(isAsync: Bool) throws {
    let attempts = isAsync ? Self.asyncRetry : Self.retry
    let times = try explored(attempts, seed: 7)
    #expect(times.count == 6 && Set(zip(times, times.dropFirst()).map { $1 - $0 }).count == 5)
    #expect(try explored(attempts, seed: 7) == times)
    #expect(try explored(attempts, seed: 8) != times)
  }

  @Test("Worlds without a seed draw the same pauses")
  func withoutSeed() throws {
    let times = Self.retry(TestWorld())
    #expect(times.count == 6 && Self.retry(TestWorld()) == times)
    try TestWorld.exploreAll { world in world.expect(Self.retry(world) == times) }
  }

  @Test("The system draws the pauses outside a world")
  func outside() {
    let (some, others) = ((1...8).map(Self.backoff.pause), (1...8).map(Self.backoff.pause))
    #expect(some != others && (some + others).allSatisfy { (.zero..<(.seconds(1))).contains($0) })
  }
}
