import PromiseCore
import TestSupport
import Testing

@Suite("Released steps of a loop", .leavingNothing)
struct ReleasedStepTests {
  private struct WeakStep {
    weak var promise: Promise<Int>?
  }

  private let context = ManualContext()
  private let last = Deferred<Int>()
  private let steps = Locked<[WeakStep]>([])
  private let retained = Locked<[Promise<Int>]>([])

  /// Makes the promise of one step of a loop. The program retains the last ten.
  private func step(_ number: Int) -> Promise<Int> {
    if number == 2_000 { return last.promise }
    let promise = Promise.fulfilled(number).then(on: context) { _ in step(number + 1) }
    steps.withLock { $0.append(WeakStep(promise: promise)) }
    retained.withLock {
      $0.append(promise)
      if $0.count > 10 { $0.removeFirst() }
    }
    return promise
  }

  @Test("A long loop retains only a few of the promises that the program has released", .rule("3.3"))
  func released() {
    let first = step(0)
    context.runUntilIdle()
    let living = steps.withLock { $0.count { $0.promise != nil } }
    #expect(first.isPending && living >= 10 && living <= 64)
    last.fulfill(5)
    context.runUntilIdle()
    #expect(first.seen == .fulfilled(5))
  }
}
