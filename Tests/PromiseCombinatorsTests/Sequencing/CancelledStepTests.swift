import PromiseCombinators
import TestSupport
import Testing

@Suite("Loops whose closures return a promise that is cancelled", .leavingNothing, .rule("4.0"))
struct CancelledStepTests {
  private let context = ManualContext()
  private let world = TestWorld()

  @Test("A loop goes on if the promise of a step is cancelled after it was fulfilled", arguments: Loop.all)
  func settledStep(_ loop: Loop) {
    let step = Deferred<Int>()
    let last = Deferred<Int>()
    let result = loop.start(2, context) { $0 == 0 ? step.promise : last.promise }
    context.runUntilIdle()
    step.fulfill(0)
    // The handler that begins the next step is queued.
    step.promise.cancel()
    #expect(result.isPending)
    context.runUntilIdle()
    // The loop waits for the next step.
    step.promise.cancel()
    #expect(result.isPending)
    last.fulfill(0)
    context.runUntilIdle()
    #expect(result.isFulfilled)
  }

  @Test("A loop goes on if the promise of a step was cancelled after it was fulfilled", arguments: Loop.all)
  func settledBefore(_ loop: Loop) {
    let step = Promise.fulfilled(0)
    let last = Deferred<Int>()
    let result = loop.start(2, context) { $0 == 0 ? step : last.promise }
    context.runUntilIdle()
    step.cancel()
    #expect(result.isPending)
    // A link of the same promise is below it.
    let link = step.map(on: context) { $0 }
    step.cancel()
    #expect(link.isCancelled)
    last.fulfill(0)
    context.runUntilIdle()
    #expect(result.isFulfilled)
  }

  @Test("A use has its value if the promise of its release is cancelled after it was fulfilled")
  func settledRelease() {
    let released = Deferred<Void>()
    let source = released.promise
    // Runs before the use learns that the release has ended.
    source.onFulfilled(on: .atOnce) { source.cancel() }
    @Sendable func acquire() -> Promise<Int> { .fulfilled(1) }
    @Sendable func release(_ resource: Int) -> AnyPromise { source }
    let result = Promise.using(acquire, release: release, on: context) { .fulfilled($0) }
    context.runUntilIdle()
    released.fulfill()
    context.runUntilIdle()
    #expect(result.state.value == 1)
  }

  @Test("A traversal goes on beside an element whose promise is cancelled after it was fulfilled")
  func settledElement() {
    let first = Promise.fulfilled(0)
    let others = Deferred<Int>()
    let result = Promise.traverse(0..<3, concurrency: 2, on: context) { number in
      number == 0 ? first : others.promise.map(on: .atOnce) { $0 }
    }
    context.runUntilIdle()
    first.cancel()
    #expect(result.isPending)
    others.fulfill(1)
    context.runUntilIdle()
    #expect(result.state.value == [0, 1, 1])
  }

  @Test("A loop over an asynchronous sequence goes on if the promise of an element is cancelled after it was fulfilled")
  func asyncSequence() {
    let first = Deferred<Int>()
    let last = Deferred<Int>()
    let each = world.start { Promise.forEach(Ticks(2)) { $0 == 0 ? first.promise : last.promise } }
    let all = world.start { Promise.traverse(Ticks(2), concurrency: 2) { $0 == 0 ? first.promise : last.promise } }
    first.fulfill(1)
    first.promise.cancel()
    world.runUntilIdle()
    first.promise.cancel()
    #expect(each.isPending)
    #expect(all.isPending)
    world.runUntilIdle(after: last.fulfill(2))
    #expect(each.isFulfilled)
    #expect(all.state.value == [1, 2])
  }

  @Test("A loop ends with the reason of a pending step that is cancelled", .rule("1.2"), arguments: Loop.all)
  func pendingStep(_ loop: Loop) {
    let step = Deferred<Int>()
    let result = loop.start(2, context) { _ in step.promise }
    context.runUntilIdle()
    step.promise.cancel(reason: TestError(1))
    #expect(result.isCancelled)
    #expect(result.end.failure == .test(1))
  }
}
