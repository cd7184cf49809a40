import PromiseCombinators
import TestSupport
import Testing

@Suite("Work behind a link inside a closure", .leavingNothing)
struct ClosureCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  private func start(_ closure: ClosureOperator, length: Int) -> AnyPromise {
    let result = closure.start(world) { [work, main = world.main] in
      (0..<length).reduce(work.promise) { promise, _ in promise.map(on: main) { $0 } }
    }
    world.runUntilIdle()
    return result
  }

  @Test(
    "A cancelled operator stops the work that its closure has begun, behind any number of links, with its reason",
    .rule("4.4", "4.5", "4.6"),
    arguments: ClosureOperator.all, CancelForm.allCases)
  func cancelled(_ closure: ClosureOperator, _ form: CancelForm) {
    for length in [0, 1, 3] {
      let work = StoppableWork()
      let result = closure.start(world) { [main = world.main] in
        (0..<length).reduce(work.promise) { promise, _ in promise.map(on: main) { $0 } }
      }
      world.runUntilIdle()
      #expect(result.isPending && work.goesOn)
      result.cancel(reason: TestError(7), upstream: form == .up)
      #expect(result.isCancelled && work.isStopped && work.reasonNumbers == [7], "\(length) links")
      world.runUntilIdle()
      #expect(world.armed == 0 || closure.testDescription.contains("rate"))
    }
  }

  @Test(
    "A cancelled operator does not stop work that another consumer wants", .rule("4.4", "4.6"),
    arguments: ClosureOperator.all)
  func shared(_ closure: ClosureOperator) {
    let kept = work.promise.map(on: world.main) { $0 }
    let result = start(closure, length: 1)
    result.cancel(upstream: true)
    #expect(result.isCancelled && work.goesOn && kept.isPending)
    kept.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test(
    "A cancelled link of an operator's result leaves the operator alone, and a link that gives up stops the work",
    .rule("4.2", "4.4", "4.6"), arguments: ClosureOperator.all)
  func below(_ closure: ClosureOperator) {
    let result = start(closure, length: 1)
    let links = [Reaction(result), Reaction(result)]
    links[0].promise.cancel()
    #expect(result.isPending && work.goesOn)
    links[1].promise.cancel(upstream: true)
    #expect(result.isCancelled && work.isStopped)
  }

  @Test(
    "A bag stops the work of an operator when it cancels a link of the operator's result", .rule("4.6"),
    arguments: ClosureOperator.all)
  func bag(_ closure: ClosureOperator) {
    let bag = CancelBag()
    let result = start(closure, length: 1)
    Reaction(result).bind(to: bag)
    bag.cancelAll()
    #expect(result.isCancelled && work.isStopped)
  }

  @Test(
    "Work that a closure returns after its result was cancelled is given up", .rule("2.5", "4.4"),
    // `join` waits for a promise whose value is a promise, and a plain cancel leaves that promise alone.
    arguments: ClosureOperator.all.filter { $0.testDescription != "join" })
  func returnedLate(_ closure: ClosureOperator) {
    let box = Locked<AnyPromise?>(nil)
    let result = closure.start(world) { [work, main = world.main] in
      let promise = work.promise.map(on: main) { $0 }
      box.withLock { $0 }?.cancel()
      return promise
    }
    box.withLock { $0 = result }
    world.runUntilIdle()
    #expect(result.isCancelled && work.isStopped)
    box.withLock { $0 = nil }
  }
}

/// A link of a promise whose type the test does not know.
private struct Reaction {
  let promise: AnyPromise
  private let bound: @Sendable (CancelBag) -> Void

  init(_ source: AnyPromise) {
    func link<Value>(_ source: Promise<Value>) -> Promise<Void> { source.asVoid() }
    let link =
      (source as? Promise<Int>)?.asVoid() ?? (source as? Promise<[Int]>)?.asVoid()
      ?? (source as? Promise<Void>)?.asVoid()
    promise = link ?? Promise<Void>.rejected(TestError(99))
    bound = { bag in link?.bound(to: bag) }
  }

  func bind(to bag: CancelBag) { bound(bag) }
}
