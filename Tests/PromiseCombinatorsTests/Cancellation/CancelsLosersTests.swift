import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("any and race that cancel their losers", .leavingNothing)
struct CancelsLosersTests {
  enum Form: CaseIterable, Sendable {
    case any, race

    func combine(_ inputs: [Promise<Int>], cancelsLosers: Bool) -> Promise<Int> {
      switch self {
      case .any: Promise.any(inputs, cancelsLosers: cancelsLosers)
      case .race: Promise.race(inputs, cancelsLosers: cancelsLosers)
      }
    }
  }

  private let context = ManualContext()
  private let winner = Deferred<Int>()
  private let loser = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test(
    "any and race give up their losers behind links only if cancelsLosers is set", .rule("4.8"),
    arguments: Form.allCases, [false, true])
  func losers(_ form: Form, cancelsLosers: Bool) {
    for length in 0..<3 {
      for isSettledBefore in [false, true] {
        let (winner, loser) = (Deferred<Int>(), StoppableWork())
        let input = (0..<length).reduce(loser.promise) { promise, _ in link(promise) }
        if isSettledBefore { winner.fulfill(1) }
        let result = form.combine([input, winner.promise], cancelsLosers: cancelsLosers)
        #expect(isSettledBefore || loser.goesOn && result.isPending)
        winner.fulfill(1)
        #expect(result.values == 1 && (cancelsLosers ? loser.isStopped : loser.goesOn))
      }
    }
  }

  @Test("A loser that another consumer wants goes on", .rule("4.4", "4.8"), arguments: Form.allCases)
  func sharedLoser(_ form: Form) {
    let kept = link(loser.promise)
    let result = form.combine([link(loser.promise), winner.promise], cancelsLosers: true)
    winner.fulfill(1)
    #expect(result.values == 1 && loser.goesOn && kept.isPending)
    kept.cancel(upstream: true)
    #expect(loser.isStopped)
  }

  @Test(
    "The winner stays fulfilled even if the same promise is also a loser", .rule("4.8"),
    arguments: Form.allCases)
  func winnerStays(_ form: Form) {
    let result = form.combine([winner.promise, link(winner.promise), winner.promise], cancelsLosers: true)
    winner.fulfill(1)
    #expect(result.values == 1 && winner.promise.values == 1 && !winner.promise.isCancelled)
  }

  @Test("race with a failing winner gives up its losers, and any waits for them", .rule("4.8"))
  func failure() {
    let (first, second) = (StoppableWork(), StoppableWork())
    let race = Promise.race([winner.promise, link(first.promise)], cancelsLosers: true)
    let any = Promise.any([winner.promise, link(second.promise)], cancelsLosers: true)
    winner.reject(TestError(1))
    #expect(race.errorNumber == 1 && first.isStopped)
    #expect(any.isPending && second.goesOn)
  }

  @Test(
    "A plain cancel of the result leaves the inputs alone even if cancelsLosers is set", .rule("4.8"),
    arguments: Form.allCases)
  func cancelled(_ form: Form) {
    let result = form.combine([link(loser.promise), winner.promise], cancelsLosers: true)
    result.cancel()
    #expect(result.isCancelled && loser.goesOn && winner.promise.isPending)
  }
}
