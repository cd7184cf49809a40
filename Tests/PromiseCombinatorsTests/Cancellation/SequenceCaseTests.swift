import PromiseCombinators
import TestSupport
import Testing

@Suite("Sequences and retries that give up", .leavingNothing)
struct SequenceCaseTests {
  private let world = TestWorld()

  @Test(
    "A retry that is cancelled in a pause leaves no timer and does not call its closure again", .rule("4.6", "4.9"),
    arguments: CancelForm.allCases, 1...3)
  func pause(_ form: CancelForm, attempts: Int) {
    let census = Tracked.Census()
    let calls = Log<Int>()
    let result = world.run {
      Promise<Int>.retry(attempts: 4, on: world.main) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { calls.append(1) }
        throw TestError(1)
      }
    }
    world.runUntilIdle()
    for _ in 1..<attempts { world.advance(by: .seconds(1)) }
    #expect(calls.entries.count == attempts && world.armed == 1 && result.isPending)
    form.apply(to: result)
    #expect(result.isCancelled && world.armed == 0 && census.living == 0)
    world.advance(by: .seconds(60))
    #expect(calls.entries.count == attempts)
  }

  @Test(
    "A retry that is cancelled in an attempt stops its work and does not try again", .rule("4.6"),
    arguments: CancelForm.allCases)
  func attempt(_ form: CancelForm) {
    let work = StoppableWork()
    let calls = Log<Int>()
    let result = world.run {
      Promise.retry(attempts: 4, on: world.main) { [main = world.main] in
        calls.append(1, returning: work.promise.map(on: main) { $0 })
      }
    }
    world.runUntilIdle()
    form.apply(to: result)
    #expect(result.isCancelled && work.isStopped)
    world.advance(by: .seconds(60))
    #expect(calls.entries == [1] && world.armed == 0)
  }

  @Test(
    "A traversal gives up the other elements, behind links, if an element fails, unless another consumer wants them",
    .rule("4.6", "4.8"), arguments: 0..<3)
  func failedTraversal(length: Int) {
    let failing = Deferred<Int>()
    let works = (0..<5).map { _ in StoppableWork() }
    let kept = works[3].promise.map(on: world.main) { $0 }
    let begun = Log<Int>()
    let result = world.run {
      Promise.traverse(0..<5, concurrency: 4, on: world.main) { [main = world.main] number in
        begun.append(number)
        if number == 1 { return failing.promise }
        return (0..<length).reduce(works[number].promise) { promise, _ in promise.map(on: main) { $0 } }
      }
    }
    world.runUntilIdle()
    #expect(begun.entries == [0, 1, 2, 3] && result.isPending)
    failing.reject(TestError(1))
    #expect(result.errorNumber == 1 && !result.isCancelled)
    #expect(works[0].isStopped && works[2].isStopped && works[3].goesOn && kept.isPending && works[4].goesOn)
    works[3].deferred.fulfill(3)
    world.runUntilIdle()
    #expect(begun.entries == [0, 1, 2, 3])
  }
}
