import PromiseCore
import TestSupport
import Testing

/// A promise whose handler has returned a pending promise no longer retains its settled source (rule 6.1). The promise
/// is still below that source.
@Suite("Cancellation of adopters that have released their settled source", .leavingNothing)
struct SettledAdopterTests {
  private let context = ManualContext()
  private let later = ManualContext()
  private let source = Promise.fulfilled(1)
  private let work = StoppableWork()

  private func makeAdopter() -> Promise<Int> {
    let adopter = source.then(on: context) { [work] _ in work.promise }
    context.runUntilIdle()
    return adopter
  }

  @Test(
    "Cancelling the source reaches promises below a settled adopter", .rule("4.2", "6.1"),
    arguments: [true, false], CancelForm.allCases)
  func belowSettledAdopter(isHeld: Bool, _ form: CancelForm) {
    var adopter: Promise<Int>? = makeAdopter()
    let below = adopter?.map(on: later) { $0 }.map(on: later) { $0 }
    let held = isHeld ? adopter : nil
    adopter = nil
    work.deferred.fulfill(1)
    #expect(below?.isPending == true && held?.isFulfilled ?? true)
    form.apply(to: source)
    #expect(below?.isCancelled == true)
  }

  @Test(
    "Cancelling the source reaches a link attached to a cancelled adopter", .rule("4.2", "6.1"),
    arguments: CancelForm.allCases)
  func belowCancelledAdopter(_ form: CancelForm) {
    let adopter = makeAdopter()
    adopter.cancel()
    #expect(areCancelled([adopter]) && work.isStopped)
    let below = adopter.recover(on: later) { _ in 0 }
    #expect(below.isPending)
    form.apply(to: source)
    #expect(below.isCancelled)
  }
}
