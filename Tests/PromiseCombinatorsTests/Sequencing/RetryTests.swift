import PromiseCombinators
import TestSupport
import Testing

@Suite("retry") struct RetryTests {
  let world = TestWorld()

  /// The forms of retry. Each attempt calls the body with its number.
  enum Form: CaseIterable, Sendable {
    case promises, async

    func start(
      attempts: Int? = nil, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
      while shouldRetry: @escaping @Sendable (Int, any Error) -> Bool = { _, _ in true },
      _ body: @escaping @Sendable (Int) throws -> Int
    ) -> Promise<Int> {
      switch (self, attempts) {
      case (.promises, nil): .retry { .fulfilled(try body($0)) }
      case (.promises, let attempts?):
        .retry(attempts: attempts, backoff: backoff, within: limit, while: shouldRetry, { .fulfilled(try body($0)) })
      case (.async, nil): .asyncRetry { try body($0) }
      case (.async, let attempts?):
        .asyncRetry(
          attempts: attempts, backoff: backoff, within: limit, while: { shouldRetry($0, $1) }, { try body($0) })
      }
    }
  }

  /// Runs attempts of which the given number fails, and returns the outcome and the times of the attempts.
  private func run(
    _ form: Form, failures: Int, attempts: Int? = nil, backoff: Backoff = .constant(.seconds(1))
  ) -> (result: Promise<Int>, seconds: [Int64]) {
    let times = Log<Duration>()
    let result = world.run {
      form.start(attempts: attempts, backoff: backoff) { [clock = world.clock] number in
        times.append(clock.elapsed)
        if number <= failures { throw TestError(number) }
        return number
      }
    }
    #expect(times.entries.isEmpty, "not in the call")
    world.advance(by: .seconds(100))
    return (result, times.entries.map(\.components.seconds))
  }

  @Test(
    "The number of attempts counts all, zero or less means one, and by default there are two, a second apart",
    arguments: Form.allCases, [(nil, 2), (Int.min, 1), (0, 1), (1, 1), (3, 3)] as [(Int?, Int)])
  func attempts(_ form: Form, _ number: (given: Int?, made: Int)) {
    let good = run(form, failures: number.made - 1, attempts: number.given)
    #expect(good.result.state.value == number.made)
    #expect(good.seconds == Array([0, 1, 2].prefix(number.made)))
    let bad = run(form, failures: 99, attempts: number.given)
    #expect(bad.result.failure == .test(number.made))
    #expect(bad.seconds.count == number.made)
  }

  @Test("Exponential backoff stops at its cap, and a custom backoff chooses its own pauses", arguments: Form.allCases)
  func backoff(_ form: Form) {
    let backoff = Backoff.exponential(first: .seconds(1), factor: 3, cap: .seconds(5))
    #expect(run(form, failures: 99, attempts: 5, backoff: backoff).seconds == [0, 1, 4, 9, 14])
    #expect(Backoff { .seconds($0) }.pause(before: 3) == .seconds(3))
    #expect(backoff.jittered { 0.5 }.pause(before: 2) == .milliseconds(1_500))
    #expect(Backoff.exponential(first: .seconds(1)).pause(before: 1_000_000) == .seconds(60))
  }

  @Test(
    "The predicate of retry gets the number of the failed attempt, from 1, and its error, and ends the attempts",
    arguments: Form.allCases)
  func predicate(_ form: Form) {
    let asked = Log<[Int]>()
    let result = world.run {
      form.start(
        attempts: 9,
        while: { attempt, error in
          asked.append([attempt, (error as? TestError)?.number ?? -1], returning: attempt < 3)
        }, { throw TestError(10 * $0) })
    }
    world.advance(by: .seconds(60))
    #expect(asked.entries == [[1, 10], [2, 20], [3, 30]])
    #expect(result.failure == .test(30))
  }

  @Test(
    "After a cancelled attempt, retry neither asks its predicate nor goes on", .rule("1.2"), arguments: Form.allCases)
  func cancelledAttempt(_ form: Form) {
    let count = Log<Int>()
    let asked = Log<Int>()
    let result = world.run {
      form.start(attempts: 4, while: { attempt, _ in asked.append(attempt, returning: true) }) { number in
        count.append(number)
        throw CancellationError()
      }
    }
    world.advance(by: .seconds(100))
    #expect(result.isCancelled)
    #expect(count.entries == [1])
    #expect(asked.entries.isEmpty)
  }
}
