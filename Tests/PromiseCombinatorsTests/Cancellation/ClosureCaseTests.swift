import PromiseCombinators
import TestSupport
import Testing

@Suite("Work behind a link inside a closure", .leavingNothing) struct ClosureCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  /// Calls the operator, whose closure returns the work behind links.
  private func start(_ closure: ClosureOperator, _ work: StoppableWork, links: Int) -> AnyPromise {
    let result = closure.start(world) { [main = world.main] in
      (0..<links).reduce(work.promise) { promise, _ in promise.map(on: main) { $0 } }
    }
    world.runUntilIdle()
    return result
  }

  @Test(
    "A cancelled operator stops the work that its closure has begun, behind any number of links, with its reason",
    .rule("4.4", "4.5", "4.6"), arguments: ClosureOperator.all, CancelForm.allCases)
  func cancelled(_ closure: ClosureOperator, _ form: CancelForm) {
    for links in [0, 1, 3] {
      let work = StoppableWork()
      let result = start(closure, work, links: links)
      #expect(result.isPending)
      #expect(work.goesOn)
      result.cancel(reason: TestError(7), upstream: form == .up)
      #expect(result.isCancelled, "\(links) links")
      #expect(work.isStopped, "\(links) links")
      #expect(work.reasonNumbers == [7], "\(links) links")
      world.runUntilIdle()
      #expect(world.armed == 0 || closure.testDescription.contains("rate"))
    }
  }

  @Test(
    "A cancelled link of an operator's result leaves the operator alone, and a link that gives up stops the work",
    .rule("4.2", "4.4", "4.6"), arguments: ClosureOperator.all)
  func below(_ closure: ClosureOperator) {
    let result = start(closure, work, links: 1)
    let links = [result.end, result.end]
    links[0].cancel()
    #expect(result.isPending)
    #expect(work.goesOn)
    links[1].cancel(upstream: true)
    #expect(result.isCancelled)
    #expect(work.isStopped)
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
    #expect(result.isCancelled)
    #expect(work.isStopped)
    box.withLock { $0 = nil }
  }
}
