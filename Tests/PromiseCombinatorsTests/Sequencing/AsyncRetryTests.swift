import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("End of the attempts of asyncRetry", .leavingNothing)
struct AsyncRetryTests {
  private let world = TestWorld()

  @Test("The predicate gets the attempt from 1 and its error, and ends the attempts")
  func predicate() {
    let asked = Log<Int>()
    let calls = Log<Int>()
    let result = world.run {
      Promise<Int>.asyncRetry(
        attempts: 9,
        while: { attempt, error in
          asked.append(attempt)
          asked.append((error as? TestError)?.number ?? -1)
          return attempt < 2
        }
      ) {
        calls.append(1)
        throw TestError(10 * calls.entries.count)
      }
    }
    world.advance(by: .seconds(60))
    #expect(asked.entries == [1, 10, 2, 20] && calls.entries.count == 2)
    #expect(result.errorNumber == 20)
  }

  @Test("An attempt that throws CancellationError is the last, and cancels the result", .rule("1.2"))
  func cancellationError() {
    let calls = Log<Int>()
    let result = world.run {
      Promise<Int>.asyncRetry(attempts: 3) {
        calls.append(1)
        throw CancellationError()
      }
    }
    world.advance(by: .seconds(60))
    #expect(calls.entries == [1] && result.isCancelled)
  }

  @Test(
    "An asyncRetry that is cancelled in a pause leaves no timer", .rule("4.8", "4.9"), arguments: CancelForm.allCases)
  func cancelledPause(_ form: CancelForm) {
    let result = world.run { Promise<Int>.asyncRetry(attempts: 3) { throw TestError(1) } }
    world.runUntilIdle()
    #expect(world.armed == 1)
    form.apply(to: result)
    world.runUntilIdle()
    #expect(result.isCancelled && world.armed == 0)
  }

  @Test("The backoff gets the number of the failed attempt, and fewer than one attempt counts as one")
  func backoff() {
    let times = Log<Duration>()
    let results = world.run {
      [0, 4].map { attempts in
        Promise<Int>.asyncRetry(attempts: attempts, backoff: .exponential(first: .seconds(1))) {
          [clock = world.clock] in
          times.append(clock.elapsed)
          throw TestError(attempts)
        }
      }
    }
    world.advance(by: .seconds(60))
    #expect(times.entries == [0, 0, 1, 3, 7].map { .seconds($0) })
    #expect(results.map(\.errorNumber) == [0, 4])
  }
}
