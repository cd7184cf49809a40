import TestSupport
import Testing

/// A promise is bypassed when it adopts another promise and no program code retains it (rule 3.3).
@Suite("Promises that are bypassed", .leavingNothing) struct CollapseTests {
  private let context = ManualContext()
  private let start = Deferred<Int>()
  private let work = StoppableWork()

  /// A promise that adopts the promise of the work once `start` is fulfilled.
  private var bypassed: Promise<Int> { start.promise.then(on: context) { [work] _ in work.promise } }

  private func adopter(of promise: Promise<Int>) -> Promise<Int> {
    defer { context.runUntilIdle() }
    return Promise.fulfilled(0).then(on: context) { _ in promise }
  }

  private func startWork() {
    start.fulfill(0)
    context.runUntilIdle()
  }

  @Test("The next step of a loop bypasses all earlier steps that the program has released together", .rule("3.3"))
  func releasedTogether() {
    weak var step: Promise<Int>?
    var steps = [bypassed]
    for _ in 0..<4 { steps.append(adopter(of: steps[steps.count - 1])) }
    step = steps[2]
    steps.removeFirst(4)
    #expect(step != nil)
    startWork()
    #expect(step == nil && steps[0].isPending)
  }

  @Test("A promise whose progress was iterated before can be bypassed", .rule("3.3", "4.9"))
  func iterated() {
    weak var step: Promise<Int>?
    let outer = {
      let promise = bypassed
      step = promise
      _ = promise.progressUpdates.makeAsyncIterator()
      return adopter(of: promise)
    }()
    #expect(step != nil)
    startWork()
    #expect(step == nil)
    #expect(outer.isPending)
  }

  @Test("A promise that is bound to a bag is not bypassed, so the bag can cancel it", .rule("3.3", "4.6"))
  func bound() {
    let bag = CancelBag()
    weak var step: Promise<Int>?
    let outer = {
      let promise = bypassed
      step = promise
      promise.bound(to: bag)
      return adopter(of: promise)
    }()
    startWork()
    #expect(step?.isPending == true)
    #expect(work.goesOn)
    bag.cancelAll()
    #expect(work.isStopped)
    #expect(outer.isCancelled)
  }

  @Test("Each of several adopters of a bypassed promise gives up the promise that it adopted", .rule("3.3", "4.4"))
  func severalAdopters() {
    let adopters = {
      let promise = bypassed
      return (0..<3).map { _ in adopter(of: promise) }
    }()
    startWork()
    // Takes the memory of the bypassed promise, to which no adopter may refer any more.
    let others = (0..<8).map { _ in bypassed }
    for adopter in adopters {
      #expect(work.goesOn)
      adopter.cancel()
    }
    #expect(work.isStopped)
    withExtendedLifetime(others) {}
  }
}
