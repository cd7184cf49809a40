import PromiseCombinators
import TestSupport
import Testing

@Suite("What an attempt of retry hands to the next one", .leavingNothing) struct RetryCarryingTests {
  private actor Owner {}

  private let world = TestWorld()
  private let log = Log<String>()

  /// Logs what an attempt has got.
  private func note(_ attempt: RetryAttempt<Int>) {
    let error = (attempt.lastError as? TestError).map { "error \($0.number)" } ?? "no error"
    log.append("\(attempt.number): \(error), \(attempt.carried)")
  }

  @Test("In every form, an attempt gets its number, the last error and the value that was carried last")
  func forms() {
    let owner = Owner()
    let begin: @Sendable (RetryAttempt<Int>) throws -> Promise<Int> = { attempt in
      note(attempt)
      // The third attempt carries nothing.
      if attempt.number < 3 { attempt.carry(attempt.number * 100) }
      if attempt.number < 4 { throw TestError(attempt.number) }
      return .fulfilled(attempt.carried)
    }
    let forms: [@Sendable () -> Promise<Int>] = [
      { Promise.retry(attempts: 5, carrying: 7) { attempt in try begin(attempt) } },
      { [world] in Promise.retry(attempts: 5, on: world.main, carrying: 7) { try begin($0) } },
      { Promise.retry(attempts: 5, carrying: 7, begin) },
      { Promise.retry(attempts: 5, on: .main, carrying: 7) { attempt in try begin(attempt) } },
      { Promise.retry(attempts: 5, isolatedTo: owner, carrying: 7) { _, attempt in try begin(attempt) } },
    ]
    for form in forms {
      let before = log.entries.count
      let result = world.run { form() }
      world.advance(by: .seconds(10))
      #expect(result.state.value == 200)
      #expect(
        Array(log.entries[before...]) == [
          "1: no error, 7", "2: error 1, 100", "3: error 2, 200", "4: error 3, 200",
        ])
    }
  }

  @Test("An attempt can carry values until the next one has begun")
  func late() {
    let attempts = Log<RetryAttempt<Int>>()
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let result = world.start {
      Promise.retry(carrying: 0) { attempt in
        attempts.append(attempt)
        return owners[attempt.number - 1].promise
      }
    }
    let first = attempts.entries[0]
    #expect(first.carry(1))
    #expect(first.carry(2))
    world.runUntilIdle(after: owners[0].reject(TestError(1)))
    // The pause before the second attempt.
    #expect(first.carry(3))
    world.advance(by: .seconds(1))
    #expect(attempts.entries[1].carried == 3)
    #expect(!first.carry(4))
    #expect(attempts.entries[1].carried == 3)
    #expect(attempts.entries[1].carry(5))
    world.runUntilIdle(after: owners[1].fulfill(2))
    #expect(result.state.value == 2)
  }

  @Test("An attempt that was given up, and still runs, does not replace the value of the next one")
  func givenUp() {
    let attempts = Log<RetryAttempt<Int>>()
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let result = world.start {
      Promise.retry(carrying: 0) { attempt in
        attempts.append(attempt)
        return owners[attempt.number - 1].promise.timeout(.seconds(5))
      }
    }
    world.advance(by: .seconds(6))
    #expect(attempts.entries.count == 2)
    #expect(!attempts.entries[0].carry(9))
    #expect(attempts.entries[1].carried == 0)
    world.runUntilIdle(after: owners[1].fulfill(2))
    #expect(result.state.value == 2)
  }

  @Test(
    "A value is released when a later one replaces it, and the last one when no code has the attempts", .rule("6.1"))
  func released() {
    let censuses = (0..<2).map { _ in Tracked.Census() }
    let first = Deferred<Int>()
    let result = world.start {
      Promise.retry(carrying: Tracked(censuses[0])) { attempt in
        if attempt.number == 1 { return first.promise }
        return .fulfilled(2)
      }
    }
    #expect(censuses[0].living == 1)
    world.runUntilIdle(after: first.reject(TestError(1)))
    world.advance(by: .seconds(1))
    #expect(result.state.value == 2)
    #expect(censuses[0].living == 0)
    let replaced = world.start {
      Promise<Int>.retry(carrying: Tracked(censuses[0])) { attempt in
        attempt.carry(Tracked(censuses[1]))
        return .rejected(TestError(1))
      }
    }
    #expect(censuses[0].living == 0)
    #expect(censuses[1].living == 1)
    replaced.cancel()
    world.runUntilIdle()
    #expect(censuses[1].living == 0)
  }

  @Test("A later attempt fills a share of the rest, and the answer has none", .rule("5.4"))
  func progress() {
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let answer = Deferred<Bool>()
    let result = world.start {
      Promise.retry(carrying: (), asking: { _, _ in answer.promise }) { attempt in owners[attempt.number - 1].promise }
    }
    owners[0].report(progress: 0.4)
    #expect(result.progress == 0.4)
    world.runUntilIdle(after: owners[0].reject(TestError(1)))
    answer.report(progress: 0.9)
    #expect(result.progress == 0.4)
    world.runUntilIdle(after: answer.fulfill(true))
    world.advance(by: .seconds(1))
    owners[1].report(progress: 0.5)
    #expect(result.progress == 0.7)
    world.runUntilIdle(after: owners[1].fulfill(1))
    #expect(result.progress == 1)
  }

  @Test("retry begins the pause when the work behind the failed attempt has finished", .rule("2.11", "4.6"))
  func finished() {
    let stopped = Deferred<Void>()
    let owners = (0..<2).map { _ in Deferred<Int>() }
    owners[0].onCancelThen(on: .atOnce) { _ in stopped.promise }
    let begun = Log<Int>()
    let result = world.start {
      Promise.retry(until: .finished, carrying: ()) { attempt in
        begun.append(attempt.number)
        return owners[attempt.number - 1].promise.timeout(.seconds(1))
      }
    }
    world.advance(by: .seconds(9))
    #expect(begun.entries == [1])
    world.runUntilIdle(after: stopped.fulfill())
    #expect(begun.entries == [1])
    world.advance(by: .seconds(1))
    #expect(begun.entries == [1, 2])
    world.runUntilIdle(after: owners[1].fulfill(2))
    #expect(result.state.value == 2)
  }
}
