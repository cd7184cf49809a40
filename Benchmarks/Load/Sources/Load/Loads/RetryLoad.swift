import PromiseCombinators

/// Retries that succeed at the third attempt, fail at the last, or are given up during a pause.
final class RetryLoad: Load {
  let name = "retries"
  let tally = Tally()
  let rate: Double

  private struct SampleError: Error {}

  private let timers: CountedTimers

  init(_ surroundings: Surroundings) {
    rate = 50 * surroundings.scale
    timers = surroundings.timers
  }

  func proceed(_ count: Int) {
    for _ in 0..<count { retry(tally.counts.begun) }
  }

  private func retry(_ number: Int) {
    let start = tally.begin()
    let failsAlways = number % 8 == 1
    let promise = Promise.retry(
      attempts: 4, backoff: .exponential(first: .milliseconds(5)).jittered(), timers: timers
    ) { attempt in
      if failsAlways || attempt < 3 { throw SampleError() }
      return .fulfilled(number)
    }
    if number % 8 == 0 {
      let limited = promise.timeout(.milliseconds(2), timers: timers)
      // The limit may come after the last attempt.
      tally.observe(limited, since: start) { $0.isRejected(with: .timedOut) || (try? $0.get()) == number }
    } else {
      tally.observe(promise, since: start) { result in
        if case .failure(let error) = result { failsAlways && error is SampleError } else { !failsAlways }
      }
    }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return tally.bag.whenFinished()
  }
}
