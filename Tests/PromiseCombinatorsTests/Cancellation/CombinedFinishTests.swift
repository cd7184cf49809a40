import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

@Suite("The finish of combined and limited promises", .leavingNothing, .rule("2.11")) struct CombinedFinishTests {
  private let world = TestWorld()
  private let source = Deferred<Int>()
  private let other = Deferred<Int>()
  /// Ends the cleanup of ``linkWithCleanup()``.
  private let cleanup = Deferred<Void>()

  /// A link whose cleanup goes on after a cancellation, until the test ends it.
  private func linkWithCleanup() -> Promise<Int> {
    source.promise.alwaysThen(on: world.main) { [cleanup] _ in cleanup.promise }
  }

  /// Expects that the promise finishes when the cleanup ends, and not before.
  private func expectFinish(
    of promise: AnyPromise, afterCleanup waits: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let finish = promise.whenFinished()
    #expect(!promise.isPending, sourceLocation: sourceLocation)
    #expect(promise.isFinished == !waits, sourceLocation: sourceLocation)
    world.runUntilIdle()
    #expect(promise.isFinished == !waits, sourceLocation: sourceLocation)
    #expect(finish.isFulfilled == !waits, sourceLocation: sourceLocation)
    cleanup.fulfill()
    world.runUntilIdle()
    #expect(promise.isFinished, sourceLocation: sourceLocation)
    #expect(finish.isFulfilled, sourceLocation: sourceLocation)
  }

  @Test(
    "A cancelled result waits for the inputs that it has given up, and not for those that it has left", .rule("4.8"),
    arguments: Combinator<Int>.all, CancelForm.allCases)
  func cancelledResult(_ combinator: Combinator<Int>, _ form: CancelForm) {
    let result = combinator.combine([linkWithCleanup(), other.promise])
    form.apply(to: result)
    #expect(result.isCancelled)
    expectFinish(of: result, afterCleanup: form == .up)
  }

  @Test(
    "A result has finished when the losers that it cancels have", .rule("4.8"), arguments: Combinator<Int>.withLosers)
  func losers(_ combinator: Combinator<Int>) {
    let winners = Array(repeating: other.promise, count: combinator.countNeeded(of: 3))
    let result = combinator.combine([linkWithCleanup()] + winners)
    let finish = result.whenFinished()
    world.run { _ = other.fulfill(1) }
    #expect(result.isFulfilled)
    #expect(finish.isFulfilled == !combinator.cancelsLosers)
    #expect(other.promise.isFinished)
    expectFinish(of: result, afterCleanup: combinator.cancelsLosers)
    #expect(finish.isFulfilled)
  }

  @Test("A failed result has finished when the rest that it cancels has", .rule("4.8"), arguments: [false, true])
  func remaining(cancelsRemaining: Bool) {
    let work = linkWithCleanup()
    let result: Promise<[Int]> = .all(
      [work, other.promise], onRejection: cancelsRemaining ? .cancelRemaining : .leaveRunning)
    let finish = result.whenFinished()
    world.run { _ = other.reject(TestError(1)) }
    #expect(result.failure == .test(1))
    #expect(finish.isFulfilled == !cancelsRemaining)
    expectFinish(of: result, afterCleanup: cancelsRemaining)
    #expect(finish.isFulfilled)
  }

  @Test(
    "A promise with an expired limit has finished when the promise that the limit gives up has", .rule("4.6"),
    arguments: [false, true])
  func limit(cancelsSource: Bool) {
    let work = linkWithCleanup()
    let limited = world.run { work.timeout(.seconds(1), cancelsSource: cancelsSource) }
    let recovered = limited.recover(on: world.main) { _ in 5 }
    world.advance(by: .seconds(1))
    #expect(limited.failure?.code == .timedOut)
    #expect(recovered.state.value == 5)
    #expect(recovered.isFinished == !cancelsSource)
    expectFinish(of: limited, afterCleanup: cancelsSource)
    #expect(recovered.isFinished)
  }

  @Test("An owner's expired limit waits for its hooks and for what the owner follows", .rule("4.5", "4.6"))
  func ownersLimit() {
    let hooks = ManualContext()
    other.follow(linkWithCleanup())
    other.onCancel(on: hooks) { _ in }
    world.run { other.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(other.promise.failure?.code == .timedOut)
    #expect(!other.promise.isFinished)
    hooks.runUntilIdle()
    expectFinish(of: other.promise, afterCleanup: true)
  }

  @Test("An owner's expired limit waits for a hook on another context", .rule("4.5"))
  func hookOfLimit() {
    let hooks = ManualContext()
    source.onCancel(on: hooks) { _ in }
    world.run { source.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(source.promise.failure?.code == .timedOut)
    #expect(!source.promise.isFinished)
    hooks.runUntilIdle()
    world.runUntilIdle()
    #expect(source.promise.isFinished)
  }
}
