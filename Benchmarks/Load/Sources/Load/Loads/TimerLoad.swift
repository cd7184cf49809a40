import PromiseCombinators
import Synchronization

/// A population of timers, in two halves.
///
/// - A delay, or a timeout that expires, is replaced when it fires. The duration is how late it fires.
/// - A timeout of a minute is cancelled before. All of these have been replaced after twenty seconds.
final class TimerLoad: Load {
  let name = "timers"
  let tally = Tally()
  let rate: Double

  private struct State {
    var owners: [Deferred<Int>] = []
    var next = 0
  }

  private let timers: CountedTimers
  private let half: Int
  private let limitsMayExpire: Bool
  private let state = Mutex(State())

  init(_ surroundings: Surroundings) {
    timers = surroundings.timers
    limitsMayExpire = surroundings.limitsMayExpire
    half = surroundings.scaled(5_000)
    rate = Double(half) / 20
  }

  func start() {
    for number in 0..<half { fire(number) }
    let owners = (0..<half).map { _ in limited() }
    state.withLock { $0.owners = owners }
  }

  func proceed(_ count: Int) {
    for _ in 0..<count {
      let (old, number) = state.withLock { state in
        let number = state.next
        state.next += 1
        let old = state.owners[number % half]
        state.owners[number % half] = limited()
        return (old, number)
      }
      if number % 2 == 0 { old.fulfill(number) } else { old.promise.cancel() }
    }
  }

  /// Begins a delay of up to ten seconds, or a timeout that expires after as long.
  private func fire(_ number: Int) {
    let start = tally.begin()
    let delay = Duration.milliseconds(.random(in: 1...10_000))
    // Reads the time of the timer from its begin, so that the duration is how late it is.
    let due = start + delay
    if number % 8 == 0 {
      let promise = Promise<Int>.deferred()
      let limited = promise.promise.timeout(delay, timers: timers)
      promise.onEnd { _ in withExtendedLifetime(promise) {} }
      observe(limited, due: due, number: number) { $0.isRejected(with: .timedOut) }
    } else {
      observe(Promise.after(delay, fulfill: number, timers: timers), due: due, number: number) {
        (try? $0.get()) == number
      }
    }
  }

  private func observe(
    _ promise: Promise<Int>, due: ContinuousClock.Instant, number: Int,
    expecting isExpected: @escaping @Sendable (Result<Int, any Error>) -> Bool
  ) {
    tally.observe(promise, since: due, expecting: isExpected) { [weak self] in self?.fire(number) }
  }

  /// Returns the owner of a promise with a timeout that does not expire.
  private func limited() -> Deferred<Int> {
    let start = tally.begin()
    let owner = Deferred<Int>()
    let limited = owner.promise.timeout(.seconds(60), timers: timers)
    limited.bound(to: tally.bag).onSettled { [tally, limitsMayExpire] result in
      let isExpired = limitsMayExpire && result.isRejected(with: .timedOut)
      let isExpected = (try? result.get()) != nil || result.isCancelled || isExpired
      if let failure = failure(of: result, unless: isExpected) {
        tally.end(since: start, failure: failure)
      } else {
        tally.endEarly()
      }
    }
    return owner
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    state.withLock { $0.owners = [] }
    return tally.bag.whenFinished()
  }
}
