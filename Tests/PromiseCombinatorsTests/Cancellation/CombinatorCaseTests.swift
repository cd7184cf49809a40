import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("Combinators and giving up", .leavingNothing)
struct CombinatorCaseTests {
  /// The operators whose result waits for one promise or several.
  enum Combinator: CaseIterable, Sendable {
    case all, allOfTwo, allSettled, any, race, timeout, delay

    /// The result for these inputs, of which there are two or more; or for the first of them.
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

  // Case 33.
  @Test(
    "Giving up a combinator's result stops its inputs, however often one of them is an input", .rule("4.4"),
    .feature("N13"),
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
      // The second input has no consumer, or is one.
      #expect(kind == 1 || kind == 2 ? work.goesOn : work.isStopped)
    }
    #expect(world.armed == 0)
  }

  // Case 33, with another consumer.
  @Test("An input that another consumer wants goes on", .rule("4.4"), arguments: Combinator.allCases)
  func sharedInput(_ combinator: Combinator) {
    let kept = link(work.promise)
    let result = combinator.combine([link(work.promise), link(other.promise)], in: world)
    result.cancel(upstream: true)
    #expect(result.isCancelled && work.goesOn && kept.isPending)
    #expect(other.isStopped == combinator.takesSeveral)
    kept.cancel(upstream: true)
    #expect(work.isStopped)
  }

  // Case 33: the reason, and from below.
  @Test("Giving up what is below a result stops the inputs, with the reason", .rule("4.4"), arguments: [false, true])
  func fromBelow(isRace: Bool) {
    let inputs = [link(work.promise), link(other.promise)]
    let below: AnyPromise =
      isRace ? link(Promise.race(inputs)) : Promise.all(inputs).map(on: world.main) { $0.count }
    below.cancel(reason: TestError(7), upstream: true)
    #expect(work.isStopped && other.isStopped && work.reasonNumbers == [7] && other.reasonNumbers == [7])
  }

  // Cases 38 and 63.
  @Test("A plain cancel of a combinator's result leaves its inputs alone", .rule("4.8"), arguments: Combinator.allCases)
  func plainCancel(_ combinator: Combinator) {
    let result = combinator.combine([link(work.promise), link(other.promise)], in: world)
    result.cancel()
    #expect(result.isCancelled && work.goesOn && other.goesOn && world.armed == 0)
    result.cancel(upstream: true)
    #expect(work.goesOn && other.goesOn)
    // The result is no consumer of its inputs any longer.
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn, "the input itself still wants the work")
  }

  // Case 63.
  @Test(
    "A plain cancel leaves an input without a consumer, which another consumer may stop", .rule("4.0", "4.8"),
    arguments: Combinator.allCases)
  func plainCancelCounts(_ combinator: Combinator) {
    combinator.combine([work.promise, other.promise], in: world).cancel()
    #expect(work.goesOn && other.goesOn)
    link(work.promise).cancel(upstream: true)
    link(other.promise).cancel(upstream: true)
    #expect(work.isStopped && other.isStopped)
  }

  @Test("A place as an input of a pending combinator is a consumer", .rule("4.0"), arguments: Combinator.allCases)
  func isConsumer(_ combinator: Combinator) {
    let result = combinator.combine([work.promise, other.promise], in: world)
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn && result.isPending)
    result.cancel()
  }

  // Case 34.
  @Test("A failed all leaves the rest of its inputs alone, also when it is cancelled then", .rule("4.8"))
  func failedAll() {
    let result = Promise.all([.rejected(TestError(1)), link(work.promise)])
    #expect(result.errorNumber == 1 && !result.isCancelled && work.goesOn)
    result.cancel(upstream: true)
    #expect(work.goesOn)
  }

  // Case 35.
  @Test(
    "A failed all that cancels the remaining inputs gives them up, behind links", .rule("4.6", "4.8"), arguments: 0..<3)
  func cancelRemaining(length: Int) {
    let input = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let result = Promise.all([.rejected(TestError(1)), input], onFailure: .cancelRemaining)
    #expect(result.errorNumber == 1 && !result.isCancelled && work.isStopped)
  }

  // Case 35: the failure comes later, and the other form.
  @Test("An input that fails later stops the others, behind links", .rule("4.6", "4.8"), arguments: [false, true])
  func cancelRemainingLater(isOfTwoTypes: Bool) {
    let failing = Deferred<Int>()
    let result: AnyPromise =
      isOfTwoTypes
      ? Promise.all(failing.promise, link(work.promise).asVoid(), onFailure: .cancelRemaining)
      : Promise.all([failing.promise, link(work.promise)], onFailure: .cancelRemaining)
    #expect(result.isPending && work.goesOn)
    failing.reject(TestError(1))
    #expect(result.isRejected && !result.isCancelled && work.isStopped)
  }

  // Case 35, with another consumer.
  @Test(
    "A failed all that cancels the remaining inputs leaves a shared one alone", .rule("4.6", "4.8"), arguments: 0..<2)
  func cancelRemainingShared(length: Int) {
    let kept = link(work.promise)
    let input = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let result = Promise.all([.rejected(TestError(1)), input], onFailure: .cancelRemaining)
    #expect(result.errorNumber == 1 && work.goesOn && kept.isPending)
  }

  // Case 36.
  @Test("The loser of a race goes on, also when the result is cancelled then", .rule("4.8"), arguments: [true, false])
  func loser(isRace: Bool) {
    let inputs = [link(work.promise), Promise.fulfilled(1)]
    let result = isRace ? Promise.race(inputs) : Promise.any(inputs)
    #expect(result.values == 1 && work.goesOn)
    result.cancel(upstream: true)
    #expect(result.values == 1 && work.goesOn)
  }

  // Case 37.
  @Test("A race that has its result left its losers, and did not give them up", .rule("4.4", "4.8"))
  func raceLeaves() {
    let result = Promise.race([work.promise, other.promise])
    link(work.promise).cancel(upstream: true)
    #expect(work.goesOn)
    other.deferred.fulfill(1)
    #expect(result.values == 1 && work.goesOn)
  }

  // Case 37, the other order.
  @Test("After a race has its result the last consumer of a loser stops it", .rule("4.4", "4.8"))
  func afterRace() {
    let result = Promise.race([work.promise, other.promise])
    let last = link(work.promise)
    other.deferred.fulfill(1)
    #expect(result.values == 1 && work.goesOn)
    last.cancel(upstream: true)
    #expect(work.isStopped)
  }

  // Case 38.
  @Test("A plain cancel of any leaves both inputs running", .rule("4.8"))
  func cancelledAny() {
    let result = Promise.any([work.promise, other.promise])
    result.cancel()
    #expect(result.isCancelled && work.goesOn && other.goesOn)
  }

  @Test("The result of a combinator is not below its inputs: its links may recover", .rule("4.0"))
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

  @Test("relay follows, and is given up by an owner that is cancelled", .rule("4.4"), arguments: CancelForm.allCases)
  func relay(_ form: CancelForm) {
    let owner = Deferred<Int>()
    link(work.promise).relay(to: owner)
    form.apply(to: owner.promise)
    #expect(work.isStopped)
  }
}
