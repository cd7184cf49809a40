import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Cancellation of combinators", .leavingNothing)
struct CombinatorCaseTests {
  /// The operators whose result waits for one or several promises.
  enum Combinator: CaseIterable, Sendable {
    case all, allOfTwo, allSettled, any, race, timeout, delay

    /// Combines the inputs. Operators that take a single promise take the first of at least two inputs.
    func combine(_ inputs: [Promise<Int>], in world: TestWorld) -> AnyPromise {
      world.run {
        switch self {
        case .all: Promise.all(inputs)
        case .allOfTwo: Promise.all(inputs[0], inputs[1])
        case .allSettled: Promise.allSettled(inputs)
        case .any: Promise.any(inputs)
        case .race: Promise.race(inputs)
        case .timeout: inputs[0].timeout(.seconds(9))
        case .delay: inputs[0].delay(.seconds(9))
        }
      }
    }

    var takesSeveral: Bool { self != .timeout && self != .delay }
  }

  private let world = TestWorld()
  private let work = StoppableWork()
  private let other = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: world.main) { $0 } }

  @Test(
    "Giving up a combinator's result stops its inputs, even if a promise is an input several times", .rule("4.4"),
    arguments: Combinator.allCases, 0..<4)
  func givenUp(_ combinator: Combinator, kind: Int) {
    let (first, second) = (work.promise, other.promise)
    let inputs =
      switch kind {
      case 0: [first, first]
      case 1: [first, link(first)]
      case 2: [link(first), link(link(first))]
      default: [link(first), link(second)]
      }
    let result = combinator.combine(inputs, in: world)
    #expect(result.isPending)
    result.cancel(upstream: true)
    #expect(result.isCancelled)
    if combinator.takesSeveral {
      #expect(work.isStopped && (kind < 3 || other.isStopped))
    } else {
      // The operator takes the first input only. The work goes on if the second input still waits for it, or is its
      // promise.
      #expect(kind == 1 || kind == 2 ? work.goesOn : work.isStopped)
    }
    #expect(world.armed == 0)
  }

  @Test(
    "An input that another consumer wants goes on when the result is given up", .rule("4.4"),
    arguments: Combinator.allCases)
  func sharedInput(_ combinator: Combinator) {
    let kept = link(work.promise)
    let result = combinator.combine([link(work.promise), link(other.promise)], in: world)
    result.cancel(upstream: true)
    #expect(result.isCancelled && work.goesOn && kept.isPending)
    #expect(other.isStopped == combinator.takesSeveral)
    kept.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "Giving up a link of a combinator's result stops the inputs with its reason", .rule("4.4"),
    arguments: [false, true])
  func fromBelow(isRace: Bool) {
    let inputs = [link(work.promise), link(other.promise)]
    let below: AnyPromise =
      isRace ? link(Promise.race(inputs)) : Promise.all(inputs).map(on: world.main) { $0.count }
    below.cancel(reason: TestError(7), upstream: true)
    #expect(work.isStopped && other.isStopped && work.reasonNumbers == [7] && other.reasonNumbers == [7])
  }

  @Test("A loser is cancelled although a race with the same outcome was its consumer before", .rule("4.0", "4.8"))
  func leftByRace() {
    let slow = Deferred<Int>()
    let fast = Deferred<Int>()
    let race = Promise.race([slow.promise, fast.promise])
    let result = Promise.any([slow.promise, race], cancelsLosers: true)
    fast.fulfill(1)
    #expect(result.state.isFulfilled)
    #expect(slow.promise.isCancelled)
  }

  @Test("A plain cancel of a combinator's result leaves its inputs alone", .rule("4.8"), arguments: Combinator.allCases)
  func plainCancel(_ combinator: Combinator) {
    let result = combinator.combine([link(work.promise), link(other.promise)], in: world)
    result.cancel()
    #expect(result.isCancelled && work.goesOn && other.goesOn && world.armed == 0)
    result.cancel(upstream: true)
    #expect(work.goesOn && other.goesOn)
    // The result is no longer a consumer of its inputs.
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn, "the input itself still wants the work")
  }

  @Test(
    "After a plain cancel of the result, another consumer may stop the inputs", .rule("4.0", "4.8"),
    arguments: Combinator.allCases)
  func plainCancelCounts(_ combinator: Combinator) {
    combinator.combine([work.promise, other.promise], in: world).cancel()
    #expect(work.goesOn && other.goesOn)
    link(work.promise).cancel(upstream: true)
    link(other.promise).cancel(upstream: true)
    #expect(work.isStopped && other.isStopped)
  }

  @Test("A pending combinator is a consumer of its inputs", .rule("4.0"), arguments: Combinator.allCases)
  func isConsumer(_ combinator: Combinator) {
    let result = combinator.combine([work.promise, other.promise], in: world)
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn && result.isPending)
    result.cancel()
  }

  @Test("A rejected all leaves its remaining inputs alone, even if it is given up afterwards", .rule("4.8"))
  func failedAll() {
    let result = Promise.all([.rejected(TestError(1)), link(work.promise)])
    #expect(result.errorNumber == 1 && !result.isCancelled && work.goesOn)
    result.cancel(upstream: true)
    #expect(work.goesOn)
  }

  @Test(
    "A rejected all with cancelRemaining gives up the remaining inputs, behind links", .rule("4.6", "4.8"),
    arguments: 0..<3)
  func cancelRemaining(length: Int) {
    let input = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let result = Promise.all([.rejected(TestError(1)), input], onFailure: .cancelRemaining)
    #expect(result.errorNumber == 1 && !result.isCancelled && work.isStopped)
  }

  @Test(
    "An input that fails later stops the other inputs of all with cancelRemaining, behind links", .rule("4.6", "4.8"),
    arguments: [false, true])
  func cancelRemainingLater(isOfTwoTypes: Bool) {
    let failing = Deferred<Int>()
    let result: AnyPromise =
      isOfTwoTypes
      ? Promise.all(failing.promise, link(work.promise).asVoid(), onFailure: .cancelRemaining)
      : Promise.all([failing.promise, link(work.promise)], onFailure: .cancelRemaining)
    #expect(result.isPending && work.goesOn)
    failing.reject(TestError(1))
    #expect(result.isRejected && !result.isCancelled && work.isStopped)
    // The failure of another input is no reason (rule 4.4).
    #expect(work.reasons.first is CancellationError)
  }

  @Test("A rejected all with cancelRemaining leaves a shared input alone", .rule("4.6", "4.8"), arguments: 0..<2)
  func cancelRemainingShared(length: Int) {
    let kept = link(work.promise)
    let input = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let result = Promise.all([.rejected(TestError(1)), input], onFailure: .cancelRemaining)
    #expect(result.errorNumber == 1 && work.goesOn && kept.isPending)
  }

  @Test(
    "The loser of any or race goes on, even if the result is given up afterwards", .rule("4.8"),
    arguments: [true, false])
  func loser(isRace: Bool) {
    let inputs = [link(work.promise), Promise.fulfilled(1)]
    let result = isRace ? Promise.race(inputs) : Promise.any(inputs)
    #expect(result.values == 1 && work.goesOn)
    result.cancel(upstream: true)
    #expect(result.values == 1 && work.goesOn)
  }

  @Test("A race that settles leaves its loser running even if the loser has no other consumer", .rule("4.4", "4.8"))
  func raceLeaves() {
    let result = Promise.race([work.promise, other.promise])
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn)
    other.deferred.fulfill(1)
    #expect(result.values == 1 && work.goesOn)
  }

  @Test("The last consumer of a loser stops it after the race has settled", .rule("4.4", "4.8"))
  func afterRace() {
    let result = Promise.race([work.promise, other.promise])
    let last = link(work.promise)
    other.deferred.fulfill(1)
    #expect(result.values == 1 && work.goesOn)
    last.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test("A plain cancel of any leaves both inputs running", .rule("4.8"))
  func cancelledAny() {
    let result = Promise.any([work.promise, other.promise])
    result.cancel()
    #expect(result.isCancelled && work.goesOn && other.goesOn)
  }

  @Test(
    "The result of any or race is not below its inputs, so its links may recover from a cancelled input", .rule("4.0"))
  func notBelow() {
    for combinator in [Combinator.race, .any] {
      let work = StoppableWork()
      let inputs = [work.promise]
      let result = combinator == .race ? Promise.race(inputs) : Promise.any(inputs)
      let recovered = result.recover(on: world.main) { _ in 3 }
      work.promise.cancel(reason: TestError(7))
      world.runUntilIdle()
      #expect(result.isRejected && recovered.values == 3)
    }
  }

  @Test(
    "An owner that is cancelled gives up the promise that it follows through relay", .rule("4.4"),
    arguments: CancelForm.allCases)
  func relay(_ form: CancelForm) {
    let owner = Deferred<Int>()
    link(work.promise).relay(to: owner)
    form.apply(to: owner.promise)
    #expect(work.isStopped)
  }
}
