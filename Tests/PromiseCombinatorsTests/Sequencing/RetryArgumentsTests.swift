import PromiseCombinators
import TestSupport
import Testing

@Suite("The number of the attempt, requested pauses and the limit of retry", .leavingNothing)
struct RetryArgumentsTests {
  private struct Busy: Error { let retryAfter: Duration? }

  private actor Owner {}

  let world = TestWorld()
  let log = Log<Int>()

  @Test("The closure gets the number of the attempt, from 1, in every form of retry")
  func numbers() {
    let owner = Owner()
    let begin: @Sendable (Int) throws -> Promise<Int> = { [log] attempt in
      log.append(attempt)
      if attempt < 3 { throw TestError(attempt) }
      return .fulfilled(attempt)
    }
    let forms: [@Sendable () -> Promise<Int>] = [
      { [world] in Promise.retry(attempts: 5, on: world.main) { attempt in try begin(attempt) } },
      { Promise.retry(attempts: 5) { try begin($0) } },
      { Promise.retry(attempts: 5, begin) },
      { Promise.retry(attempts: 5, on: .main) { attempt in try begin(attempt) } },
      { Promise.retry(attempts: 5, isolatedTo: owner) { _, attempt in try begin(attempt) } },
      { Promise.asyncRetry(attempts: 5) { attempt in try await begin(attempt).value } },
      { [log] in Promise.retry(attempts: 5, on: .main) { try begin(log.entries.count % 3 + 1) } },
    ]
    for form in forms {
      let before = log.entries.count
      let result = world.run { form() }
      world.advance(by: .seconds(10))
      #expect(result.state.value == 3 && Array(log.entries[before...]) == [1, 2, 3])
    }
  }

  /// Fails each attempt with a requested pause, and logs the times of the attempts.
  private func attempts(
    _ form: RetryTests.Form, _ backoff: Backoff, within limit: Duration? = nil, _ requested: [Duration?]
  ) -> (Promise<Int>, [Duration]) {
    let times = Log<Duration>()
    let start = world.clock.elapsed
    let result = world.run {
      form.start(attempts: requested.count, backoff: backoff, within: limit) { [clock = world.clock] attempt in
        times.append(clock.elapsed)
        throw Busy(retryAfter: requested[attempt - 1])
      }
    }
    world.advance(by: .seconds(1_000))
    return (result, times.entries.map { $0 - start })
  }

  private static let polite = Backoff.constant(.seconds(1)).overridden { ($0 as? Busy)?.retryAfter }

  @Test("An error may override the pause", arguments: RetryTests.Form.allCases)
  func overridden(_ form: RetryTests.Form) {
    let (result, times) = attempts(form, Self.polite, [nil, .seconds(7), .seconds(-3), nil, nil])
    #expect(result.isRejected)
    #expect(times == [.zero, .seconds(1), .seconds(8), .seconds(8), .seconds(9)])
  }

  @Test("Jitter does not change a pause that an error asks for, and a later override comes first")
  func backoffs() {
    let error = Busy(retryAfter: .seconds(7))
    #expect(Self.polite.jittered { 0.5 }.pause(before: 1, after: error) == .seconds(7))
    #expect(Self.polite.jittered { 0.5 }.pause(before: 1, after: TestError(1)) == .milliseconds(500))
    #expect(Self.polite.jittered { 0.5 }.pause(before: 1) == .milliseconds(500))
    let twice = Self.polite.overridden { $0 is TestError ? .seconds(9) : nil }
    #expect(twice.pause(before: 1, after: error) == .seconds(7))
    #expect(twice.pause(before: 1, after: TestError(1)) == .seconds(9))
    #expect(Self.polite.pause(before: 1, after: Busy(retryAfter: .seconds(-3))) == .zero)
    #expect(Self.polite.overridden { _ in .seconds(2) }.pause(before: 1, after: error) == .seconds(2))
  }

  @Test("No pause ends after the limit, and the last error rejects the result", arguments: RetryTests.Form.allCases)
  func limit(_ form: RetryTests.Form) {
    let backoff = Backoff.exponential(first: .seconds(1))
    // The limit counts from the call, and not from the start of the clock.
    world.advance(by: .seconds(100))
    let (result, times) = attempts(form, backoff, within: .seconds(7), [nil, nil, nil, nil, nil, nil])
    // The next pause would end at 15 seconds.
    #expect(times == [.zero, .seconds(1), .seconds(3), .seconds(7)])
    #expect(result.error is Busy)
    #expect(attempts(form, Self.polite, within: .seconds(5), [.seconds(6), nil]).1 == [.zero])
    let longest = Duration(attoseconds: .max)
    #expect(attempts(form, backoff, within: longest, [nil, nil]).1.count == 2)
    #expect(attempts(form, backoff, within: .seconds(-1), [nil, nil]).1.count == 1)
    #expect(attempts(form, Self.polite, within: .seconds(5), [longest, nil]).1.count == 1)
  }

  @Test("The limit does not stop a running attempt")
  func running() {
    let owner = Deferred<Int>()
    let result = world.run { Promise.retry(attempts: 3, within: .seconds(1)) { owner.promise } }
    world.advance(by: .seconds(60))
    #expect(result.isPending)
    owner.fulfill(1)
    #expect(result.state.value == 1)
  }
}

@Suite("Random pauses", .leavingNothing) struct JitterTests {
  private static let backoff = Backoff.constant(.seconds(1)).jittered()

  /// Returns the times at which an operation makes its attempts.
  private static func times(in world: TestWorld, _ form: RetryTests.Form = .promises) -> [Duration] {
    let times = Log<Duration>()
    let result = world.run {
      form.start(attempts: 6, backoff: backoff) { [clock = world.clock] _ in
        times.append(clock.elapsed)
        throw TestError(1)
      }
    }
    world.advance(by: .seconds(6))
    world.expect(result.error is TestError)
    return times.entries
  }

  private func explored(seed: UInt64, _ form: RetryTests.Form) throws -> [Duration] {
    var times: [Duration] = []
    try TestWorld.explore(schedules: 1, seed: seed) { times = Self.times(in: $0, form) }
    return times
  }

  @Test("The seed of a schedule determines the pauses of a jittered backoff", arguments: RetryTests.Form.allCases)
  func seeds(_ form: RetryTests.Form) throws {
    let times = try explored(seed: 7, form)
    #expect(times.count == 6)
    #expect(Set(zip(times, times.dropFirst()).map { $1 - $0 }).count == 5)
    #expect(try explored(seed: 7, form) == times)
    #expect(try explored(seed: 8, form) != times)
  }

  @Test("Worlds without a seed draw the same pauses")
  func withoutSeed() throws {
    let times = Self.times(in: TestWorld())
    #expect(times.count == 6)
    #expect(Self.times(in: TestWorld()) == times)
    try TestWorld.exploreAll { world in world.expect(Self.times(in: world) == times) }
  }

  @Test("The system draws the pauses outside a world")
  func outside() {
    let some = (1...8).map(Self.backoff.pause)
    let others = (1...8).map(Self.backoff.pause)
    #expect(some != others)
    #expect((some + others).allSatisfy { (.zero..<(.seconds(1))).contains($0) })
  }
}
