import PromiseCombinators
import TestSupport
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

  enum Operator: CaseIterable, Sendable {
    case all, allSettled, any, race

    func combine(_ first: Promise<Int>, _ second: Promise<Int>) -> AnyPromise {
      switch self {
      case .all: Promise.all([first, second])
      case .allSettled: Promise.allSettled([first, second])
      case .any: Promise.any([first, second])
      case .race: Promise.race([first, second])
      }
    }
  }

  @Test(
    "A cancelled result waits for the inputs that it has given up, and not for those that it has left", .rule("4.8"),
    arguments: Operator.allCases, CancelForm.allCases)
  func cancelledResult(_ kind: Operator, _ form: CancelForm) {
    let work = linkWithCleanup()
    let result = kind.combine(work, other.promise)
    form.apply(to: result)
    #expect(result.isCancelled)
    expectFinish(of: result, afterCleanup: form == .up)
  }

  @Test(
    "A winner has finished when the losers that it cancels have", .rule("4.8"), arguments: [false, true],
    [false, true])
  func losers(isRace: Bool, cancelsLosers: Bool) {
    let inputs = [linkWithCleanup(), other.promise]
    let result =
      isRace ? Promise.race(inputs, cancelsLosers: cancelsLosers) : Promise.any(inputs, cancelsLosers: cancelsLosers)
    let finish = result.whenFinished()
    world.run { _ = other.fulfill(1) }
    #expect(result.state.value == 1)
    #expect(finish.isFulfilled == !cancelsLosers)
    #expect(other.promise.isFinished)
    expectFinish(of: result, afterCleanup: cancelsLosers)
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
    world.run { other.timeout(after: .seconds(1)) }
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
    world.run { source.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(source.promise.failure?.code == .timedOut)
    #expect(!source.promise.isFinished)
    hooks.runUntilIdle()
    world.runUntilIdle()
    #expect(source.promise.isFinished)
  }
}
