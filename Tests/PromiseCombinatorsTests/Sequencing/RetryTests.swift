import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("retry")
struct RetryTests {
  let world = TestWorld()

  /// Retries an operation that fails the given number of times.
  private func retrying(
    _ failures: Int, _ log: Log<Duration>, attempts: Int = 2, backoff: Backoff = .constant(.seconds(1))
  ) -> Promise<Int> {
    Promise.retry(attempts: attempts, backoff: backoff) { [clock = world.clock] in
      log.append(clock.time)
      let number = log.entries.count
      if number <= failures { throw TestError(number) }
      return .fulfilled(number)
    }
  }

  @Test("retry makes a second attempt after one second by default")
  func defaults() {
    let log = Log<Duration>()
    let (good, bad) = world.run {
      (retrying(1, log), retrying(9, Log()))
    }
    #expect(log.entries.isEmpty, "not in the call")
    world.advance(by: .seconds(5))
    #expect(good.values == 2 && log.entries == [.zero, .seconds(1)] && bad.errorNumber == 2)
  }

  @Test(
    "The number of attempts counts all attempts, and zero or less means one",
    arguments: [(-1, 1), (0, 1), (1, 1), (3, 3)])
  func attempts(_ given: Int, _ attempts: Int) {
    let log = Log<Duration>()
    let promise = world.run { retrying(99, log, attempts: given) }
    world.advance(by: .seconds(100))
    #expect(promise.errorNumber == attempts && log.entries.count == attempts)
  }

  @Test("Exponential backoff stops at its cap, and a custom backoff chooses its own pauses")
  func backoff() {
    let log = Log<Duration>()
    let backoff = Backoff.exponential(first: .seconds(1), factor: 3, cap: .seconds(5))
    _ = world.run { retrying(99, log, attempts: 5, backoff: backoff).recover { _ in 0 } }
    world.advance(by: .seconds(100))
    #expect(log.entries == [.zero, .seconds(1), .seconds(4), .seconds(9), .seconds(14)])
    #expect(Backoff { .seconds($0) }.pause(before: 3) == .seconds(3))
    #expect(backoff.jittered { 0.5 }.pause(before: 2) == .milliseconds(1_500))
    #expect(Backoff.constant(.seconds(-1)).pause(before: 1) == .zero)
    #expect(Backoff.exponential(first: .seconds(1)).pause(before: 1_000_000) == .seconds(60))
  }

  @Test("The predicate of retry gets the number of the failed attempt, from 1, and ends the attempts")
  func predicate() {
    let asked = Log<String>()
    let promise = world.run {
      let count = Log<Int>()
      let isWorthIt: @Sendable (Int, any Error) -> Bool = { attempt, error in
        asked.append("\(attempt): \((error as? TestError)?.number ?? -1)")
        return attempt < 3
      }
      return Promise<Int>.retry(attempts: 4, while: isWorthIt) {
        count.append(1)
        throw TestError(count.entries.count)
      }
    }
    world.advance(by: .seconds(100))
    #expect(asked.entries == ["1: 1", "2: 2", "3: 3"] && promise.errorNumber == 3)
  }

  @Test("retry on the main actor makes another attempt after every error if it has no predicate")
  func onMain() {
    let count = Log<Int>()
    let promise = world.run {
      Promise<Int>.retry(attempts: 3, on: .main) {
        count.append(1)
        throw TestError(count.entries.count)
      }
    }
    world.advance(by: .seconds(100))
    #expect(promise.errorNumber == 3 && count.entries.count == 3)
  }

  @Test("A cancelled retry leaves no timer in a pause, and cancels the current attempt", .rule("4.8", "4.9"))
  func cancelled() {
    let log = Log<Duration>()
    let pausing = world.run { retrying(99, log, attempts: 4) }
    world.runUntilIdle()
    pausing.cancel()
    #expect(throws: Never.self) { try world.verify(.timers) }
    let owner = Deferred<Int>()
    let running = world.run { Promise.retry(attempts: 4) { owner.promise } }
    world.runUntilIdle()
    running.cancel()
    #expect(running.isCancelled && owner.promise.isCancelled)
    world.advance(by: .seconds(100))
    #expect(log.entries == [.zero])
  }

  @Test("retry makes no further attempt after a cancelled attempt", .rule("1.2"))
  func cancelledAttempt() {
    let count = Log<Int>()
    let promise = world.run {
      Promise<Int>.retry(attempts: 4) {
        count.append(1)
        throw CancellationError()
      }
    }
    world.advance(by: .seconds(100))
    #expect(promise.isCancelled && count.entries.count == 1)
  }
}

extension TestClock {
  fileprivate var time: Duration { now.offset }
}
