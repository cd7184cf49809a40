import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("Cancellation of combinators", .leavingNothing) struct CombinatorCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: world.main) { $0 } }

  @Test(
    "Giving up a combinator's result stops work that is an input several times, directly or behind links or a shield",
    .rule("4.4"), arguments: Combinator<Int>.all, [false, true])
  func givenUp(_ combinator: Combinator<Int>, isShared: Bool) {
    for kind in 0..<4 {
      let work = StoppableWork()
      let promise = work.promise
      let inputs =
        switch kind {
        case 0: [promise, link(promise)]
        case 1: [link(promise), link(link(promise))]
        case 2: [promise, promise.shielded()]
        default: [promise.shielded(), promise]
        }
      let other = isShared ? link(promise) : nil
      let result = combinator.combine(inputs)
      result.cancel(reason: TestError(7), upstream: true)
      #expect(result.isCancelled, "\(kind)")
      #expect(isShared ? work.goesOn : work.isStopped && work.reasonNumbers == [7], "\(kind)")
      other?.cancel(upstream: true)
      #expect(work.isStopped, "\(kind)")
    }
  }

  @Test("Giving up a result never stops the promise behind a shielded input", .rule("4.4", "4.10"))
  func shieldAlone() {
    Promise.all([work.promise.shielded()]).cancel(upstream: true)
    #expect(work.goesOn)
  }

  /// The ways in which the other input of `all` fails.
  enum Failure: CaseIterable, Sendable { case before, rejected, cancelled }

  @Test(
    "A failed all with cancelRemaining gives up the other inputs, behind links, and leaves shared ones alone",
    .rule("4.4", "4.6", "4.8"), arguments: Failure.allCases, [false, true])
  func cancelRemaining(_ failure: Failure, isOfTwoTypes: Bool) {
    for (length, isShared) in [(0, false), (1, false), (2, false), (0, true), (1, true)] {
      let failing = Deferred<Int>()
      let work = StoppableWork()
      if failure == .before { failing.reject(TestError(1)) }
      let kept = isShared ? link(work.promise) : nil
      let input = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
      let result: AnyPromise =
        isOfTwoTypes
        ? Promise.all(failing.promise, input.asVoid(), onRejection: .cancelRemaining)
        : Promise.all([failing.promise, input], onRejection: .cancelRemaining)
      #expect(failure == .before || result.isPending && work.goesOn)
      if failure == .rejected { failing.reject(TestError(1)) }
      if failure == .cancelled { failing.promise.cancel(reason: TestError(7)) }
      #expect(result.isRejected)
      #expect(result.isCancelled == (failure == .cancelled))
      #expect(isShared ? work.goesOn && kept?.isPending == true : work.isStopped)
      // The failure of another input is no reason, but its cancellation is (rule 4.4).
      if !isShared { #expect(work.reasonNumbers == [failure == .cancelled ? 7 : -1]) }
      kept?.cancel(upstream: true)
      #expect(work.isStopped)
    }
  }

  @Test("A rejected all leaves its remaining inputs alone, even if it is given up afterwards", .rule("4.8"))
  func failedAll() {
    let result = Promise.all([.rejected(TestError(1)), link(work.promise)])
    #expect(result.failure == .test(1))
    #expect(!result.isCancelled)
    #expect(work.goesOn)
    result.cancel(upstream: true)
    #expect(work.goesOn)
  }

  @Test(
    "The result of any or race is not below its inputs, so its links may recover from a cancelled input", .rule("4.0"),
    arguments: [false, true])
  func notBelow(isRace: Bool) {
    let result = isRace ? Promise.race([work.promise]) : Promise.any([work.promise])
    let recovered = result.recover(on: world.main) { _ in 3 }
    world.runUntilIdle(after: work.promise.cancel(reason: TestError(7)))
    #expect(result.isRejected)
    #expect(recovered.state.value == 3)
  }
}
