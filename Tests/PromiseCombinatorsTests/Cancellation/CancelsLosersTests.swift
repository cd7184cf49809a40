import PromiseCombinators
import TestSupport
import Testing

@Suite("any and race that cancel their losers", .rule("4.8"), .leavingNothing) struct CancelsLosersTests {
  enum Form: CaseIterable, Sendable {
    case any, race, listedAny, listedRace, keyedAny, keyedRace, enumeratingAny, enumeratingRace

    /// Combines two inputs.
    func combine(_ inputs: [Promise<Int>], cancelsLosers: Bool) -> AnyPromise {
      let keyed = ["a": inputs[0], "b": inputs[1]]
      return switch self {
      case .any: Promise.any(inputs, cancelsLosers: cancelsLosers)
      case .race: Promise.race(inputs, cancelsLosers: cancelsLosers)
      case .listedAny: Promise.any(inputs[0], inputs[1], cancelsLosers: cancelsLosers)
      case .listedRace: Promise.race(inputs[0], inputs[1], cancelsLosers: cancelsLosers)
      case .keyedAny: Promise.any(keyed, cancelsLosers: cancelsLosers)
      case .keyedRace: Promise.race(keyed, cancelsLosers: cancelsLosers)
      case .enumeratingAny: Promise.any(enumerating: inputs, cancelsLosers: cancelsLosers)
      case .enumeratingRace: Promise.race(enumerating: inputs, cancelsLosers: cancelsLosers)
      }
    }
  }

  private let context = ManualContext()
  private let winner = Deferred<Int>()
  private let loser = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test(
    "any and race give up losers behind links only if cancelsLosers is set", arguments: Form.allCases, [false, true])
  func losers(_ form: Form, cancelsLosers: Bool) {
    for length in 0..<3 {
      for isSettledBefore in [false, true] {
        let (winner, loser) = (Deferred<Int>(), StoppableWork())
        let input = (0..<length).reduce(loser.promise) { promise, _ in link(promise) }
        if isSettledBefore { winner.fulfill(1) }
        let result = form.combine([input, winner.promise], cancelsLosers: cancelsLosers)
        #expect(isSettledBefore || loser.goesOn && result.isPending)
        winner.fulfill(1)
        #expect(result.isFulfilled && (cancelsLosers ? loser.isStopped : loser.goesOn))
        // A settled result has left its inputs.
        result.cancel(upstream: true)
        #expect(result.isFulfilled && loser.goesOn != cancelsLosers)
      }
    }
  }

  @Test("A cancel that decides a race runs the hooks of its losers before it returns", .rule("4.5"))
  func hooksOfLosers() {
    let (loser, hooks) = (Deferred<Int>(), Log<Int>())
    loser.onCancel { _ in hooks.append(1) }
    let result = Promise.race([loser.promise, winner.promise], cancelsLosers: true)
    winner.promise.cancel()
    #expect(result.isCancelled && hooks.entries == [1])
  }

  @Test(
    "A loser that another consumer wants goes on, until its last consumer gives up", .rule("4.4"),
    arguments: Form.allCases, [false, true])
  func sharedLoser(_ form: Form, cancelsLosers: Bool) {
    let kept = link(loser.promise)
    let result = form.combine([loser.promise, winner.promise], cancelsLosers: cancelsLosers)
    winner.fulfill(1)
    #expect(result.isFulfilled && loser.goesOn && kept.isPending)
    kept.cancel(upstream: true)
    #expect(loser.isStopped)
  }

  @Test(
    "A loser goes on although its other consumer has given up before the result was settled", .rule("4.4"),
    arguments: Form.allCases)
  func abandonedLoser(_ form: Form) {
    let result = form.combine([loser.promise, winner.promise], cancelsLosers: false)
    link(loser.promise).cancel(upstream: true)
    #expect(loser.goesOn)
    winner.fulfill(1)
    #expect(result.isFulfilled && loser.goesOn)
  }

  @Test("The winner stays fulfilled even if the same promise is also a loser", arguments: Form.allCases, [false, true])
  func winnerStays(_ form: Form, isBehindLink: Bool) {
    let loser = isBehindLink ? link(winner.promise) : winner.promise
    let result = form.combine([winner.promise, loser], cancelsLosers: true)
    winner.fulfill(1)
    #expect(result.isFulfilled && winner.promise.values == 1 && !winner.promise.isCancelled)
  }

  @Test("race with a failing winner gives up its losers, and any waits for them")
  func failure() {
    let (first, second) = (StoppableWork(), StoppableWork())
    let race = Promise.race([winner.promise, link(first.promise)], cancelsLosers: true)
    let any = Promise.any([winner.promise, link(second.promise)], cancelsLosers: true)
    winner.reject(TestError(1))
    #expect(race.errorNumber == 1 && first.isStopped)
    #expect(any.isPending && second.goesOn)
  }

  @Test("A loser is cancelled although a race with the same outcome was its consumer before", .rule("4.0"))
  func leftByRace() {
    let race = Promise.race([loser.promise, winner.promise])
    let result = Promise.any([loser.promise, race], cancelsLosers: true)
    winner.fulfill(1)
    #expect(result.isFulfilled && loser.isStopped)
  }
}
