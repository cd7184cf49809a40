import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("Combinators that cancel their losers", .rule("4.8"), .leavingNothing) struct CancelsLosersTests {
  private let context = ManualContext()
  private let winner = Deferred<Int>()
  private let loser = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Combines a loser with the winner, as often as the combinator needs a value.
  private func combine(_ loser: Promise<Int>, with winner: Promise<Int>, by call: Combinator<Int>) -> AnyPromise {
    call.combine([loser] + Array(repeating: winner, count: call.countNeeded(of: 3)))
  }

  @Test(
    "A combinator gives up losers behind links only if cancelsLosers is set", arguments: Combinator<Int>.withLosers)
  func losers(_ call: Combinator<Int>) {
    let cancelsLosers = call.cancelsLosers
    for length in 0..<3 {
      for isSettledBefore in [false, true] {
        let winner = Deferred<Int>()
        let loser = StoppableWork()
        let input = (0..<length).reduce(loser.promise) { promise, _ in link(promise) }
        if isSettledBefore { winner.fulfill(1) }
        let result = combine(input, with: winner.promise, by: call)
        #expect(isSettledBefore || loser.goesOn && result.isPending)
        winner.fulfill(1)
        #expect(result.isFulfilled)
        #expect(cancelsLosers ? loser.isStopped : loser.goesOn)
        // A settled result has left its inputs.
        result.cancel(upstream: true)
        #expect(result.isFulfilled)
        #expect(loser.goesOn != cancelsLosers)
      }
    }
  }

  @Test("A cancel that decides a race runs the hooks of its losers before it returns", .rule("4.5"))
  func hooksOfLosers() {
    let loser = Deferred<Int>()
    let hooks = Log<Int>()
    loser.onCancel { _ in hooks.append(1) }
    let result = Promise.race([loser.promise, winner.promise], cancelsLosers: true)
    winner.promise.cancel()
    #expect(result.isCancelled)
    #expect(hooks.entries == [1])
  }

  @Test(
    "The losers of a race learn why the winner was cancelled or timed out, and not why it was rejected",
    .rule("1.2", "4.4"), arguments: ["timed out", "cancelled", "rejected"])
  func reasonOfLosers(ending: String) {
    let world = TestWorld()
    let loser = Deferred<Int>()
    let reasons = Log<String>()
    loser.onCancel(on: .atOnce) { reason in
      reasons.append(
        reason is CancellationError ? "rejected" : PromiseError.Code(reason) == .timedOut ? "timed out" : "cancelled")
    }
    let result = Promise.race([winner.promise, loser.promise], cancelsLosers: true)
    switch ending {
    case "timed out":
      world.run { winner.timeout(.seconds(1)) }
      world.advance(by: .seconds(1))
    // The winner passes the reason on.
    case "cancelled":
      let cancelled = Deferred<Int>()
      cancelled.promise.cancel(reason: TestError(1))
      winner.follow(cancelled.promise)
    default: winner.reject(TestError(1))
    }
    #expect(result.isRejected)
    #expect(reasons.entries == [ending])
  }

  @Test(
    "A loser that another consumer wants goes on, until its last consumer gives up", .rule("4.4"),
    arguments: Combinator<Int>.withLosers)
  func sharedLoser(_ call: Combinator<Int>) {
    let kept = link(loser.promise)
    let result = combine(loser.promise, with: winner.promise, by: call)
    winner.fulfill(1)
    #expect(result.isFulfilled)
    #expect(loser.goesOn)
    #expect(kept.isPending)
    kept.cancel(upstream: true)
    #expect(loser.isStopped)
  }

  @Test(
    "A loser goes on although its other consumer has given up before the result was settled", .rule("4.4"),
    arguments: Combinator<Int>.withLosers.filter { !$0.cancelsLosers })
  func abandonedLoser(_ call: Combinator<Int>) {
    let result = combine(loser.promise, with: winner.promise, by: call)
    link(loser.promise).cancel(upstream: true)
    #expect(loser.goesOn)
    winner.fulfill(1)
    #expect(result.isFulfilled)
    #expect(loser.goesOn)
  }

  @Test(
    "The winner stays fulfilled even if the same promise is also a loser",
    arguments: Combinator<Int>.withLosers.filter(\.cancelsLosers), [false, true])
  func winnerStays(_ call: Combinator<Int>, isBehindLink: Bool) {
    let loser = isBehindLink ? link(winner.promise) : winner.promise
    let result = combine(loser, with: winner.promise, by: call)
    winner.fulfill(1)
    #expect(result.isFulfilled)
    #expect(winner.promise.state.value == 1)
    #expect(!winner.promise.isCancelled)
  }

  @Test("race with a failing winner gives up its losers, and any waits for them")
  func failure() {
    let first = StoppableWork()
    let second = StoppableWork()
    let race = Promise.race([winner.promise, link(first.promise)], cancelsLosers: true)
    let any = Promise.any([winner.promise, link(second.promise)], cancelsLosers: true)
    winner.reject(TestError(1))
    #expect(race.failure == .test(1))
    #expect(first.isStopped)
    #expect(any.isPending)
    #expect(second.goesOn)
  }

  @Test("A loser is cancelled although a race with the same outcome was its consumer before", .rule("4.0"))
  func leftByRace() {
    let race = Promise.race([loser.promise, winner.promise])
    let result = Promise.any([loser.promise, race], cancelsLosers: true)
    winner.fulfill(1)
    #expect(result.isFulfilled)
    #expect(loser.isStopped)
  }

  /// The promise that leaves the loser when the winner is fulfilled.
  enum Leaver: CaseIterable, Sendable { case owner, follower, race }

  @Test("A handler gives up what a settled promise has left", .rule("3.4", "4.0"), arguments: Leaver.allCases)
  func leftBefore(_ leaver: Leaver) {
    let follower = Deferred<Int>()
    var source = winner.promise
    switch leaver {
    case .owner: winner.follow(loser.promise)
    case .follower:
      follower.follow(winner.promise)
      follower.follow(loser.promise)
    case .race: source = .race([winner.promise, loser.promise], cancelsLosers: false)
    }
    // The handler runs while its source is being settled.
    let failing = source.map(on: .atOnce) { (_: Int) throws -> Int in throw TestError(1) }
    let result = Promise.all([loser.promise, failing], onRejection: .cancelRemaining)
    winner.fulfill(1)
    #expect(result.failure == .test(1))
    #expect(loser.isStopped)
  }

  @Test("An observer of progress gives up what a settled promise has left", .rule("3.4", "4.0"))
  func leftBeforeProgress() {
    winner.follow(loser.promise)
    let other = link(loser.promise)
    winner.promise.onProgress(on: .atOnce) { if $0 == 1 { other.cancel(upstream: true) } }
    winner.fulfill(1)
    #expect(loser.isStopped)
  }

  @Test("Work whose last client leaves is cancelled before other consumers give up what it waits for", .rule("4.6"))
  func unobservedBefore() {
    let follower = Deferred<Int>()
    do {
      let shared = Deferred<Int>(cancelsWithoutClients: true)
      shared.follow(loser.promise.shielded())
      let result = Promise.all([loser.promise, winner.promise], onRejection: .cancelRemaining)
      follower.follow(winner.promise)
      follower.follow(shared.promise)
      result.catch(on: .atOnce) { _ in }
    }
    winner.reject(TestError(1))
    follower.promise.catch(on: .atOnce) { _ in }
    #expect(loser.isStopped)
  }
}
