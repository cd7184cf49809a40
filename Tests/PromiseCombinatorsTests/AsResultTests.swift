import PromiseCombinators
import TestSupport
import Testing

@Suite("asResult", .leavingNothing) struct AsResultTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  /// The number of the value or error of an outcome, and whether it is a value.
  private func outcome(_ promise: Promise<Result<Int, any Error>>) -> (number: Int?, isValue: Bool)? {
    switch promise.state.value {
    case .success(let value)?: (value, true)
    case .failure(let error)?: ((error as? TestError)?.number, false)
    case nil: nil
    }
  }

  @Test(
    "The result is fulfilled with a value, an error and the reason of a cancellation", .rule("4.8", "7.1"),
    arguments: TimeoutTests.End.allCases, [false, true])
  func outcomes(_ end: TimeoutTests.End, isSettledBefore: Bool) {
    let reports = reported {
      let source = Deferred<Int>()
      if isSettledBefore { end.settle(source) }
      let result = source.promise.asResult()
      if !isSettledBefore {
        #expect(result.isPending)
        end.settle(source)
      }
      #expect(result.isFulfilled)
      #expect(outcome(result)?.number == 1)
      #expect(outcome(result)?.isValue == (end == .value))
    }
    #expect(reports.isEmpty)
  }

  @Test("A cancellation above is an outcome, too", .rule("4.2", "4.8"))
  func above() {
    let below = source.promise.map(on: world.main) { $0 }
    let result = below.asResult()
    source.promise.cancel(reason: TestError(3))
    #expect(below.isCancelled)
    #expect(outcome(result)?.number == 3)
  }

  @Test("cancel() of the result leaves the source alone, and cancel(upstream: true) gives it up", .rule("4.8"))
  func cancelled() {
    let work = StoppableWork()
    let first = work.promise.asResult()
    let second = work.promise.asResult()
    first.cancel()
    #expect(first.isCancelled)
    #expect(work.goesOn)
    second.cancel(upstream: true)
    #expect(second.isCancelled)
    #expect(work.isStopped)
  }

  @Test("The result shows the progress of its source, and 1 after an error", .rule("5.4"))
  func progress() {
    let result = source.promise.asResult()
    source.report(progress: 0.5)
    #expect(result.progress == 0.5)
    source.reject(TestError(1))
    #expect(result.progress == 1)
  }

  @Test("traverse keeps the outcome of each element, even of one that another client has cancelled")
  func elements() throws {
    try TestWorld.exploreAll { world in
      let shared = Deferred<Int>()
      let outcomes = Promise.traverse(0..<3, concurrency: 2) { number in
        let element: Promise<Int> =
          switch number {
          case 0: .after(.seconds(1), fulfill: 0)
          case 1: shared.promise
          default: .rejected(TestError(2))
          }
        return element.asResult()
      }
      shared.promise.cancel(reason: TestError(1))
      world.advance(by: .seconds(2))
      let numbers = outcomes.state.value?.map { result in
        switch result {
        case .success(let value): value
        case .failure(let error): -((error as? TestError)?.number ?? 100)
        }
      }
      world.expect(numbers == [0, -1, -2])
    }
  }

  @Test("A cancelled traverse gives up what stands behind an outcome", .rule("4.6"))
  func givenUp() {
    let work = StoppableWork()
    let outcomes = world.run {
      Promise.traverse([1], concurrency: 1, on: world.main) { _ in work.promise.asResult() }
    }
    world.runUntilIdle()
    #expect(work.goesOn)
    outcomes.cancel()
    #expect(work.isStopped)
  }

  @Test("A pending result names its operator")
  func description() {
    #expect(source.promise.asResult().debugDescription.contains("asResult"))
  }

  @Test("The example saves each document, and keeps an error")
  func example() {
    let documents = ["a", "b"]
    @Sendable func save(_ document: String) -> Promise<Int> {
      document == "a" ? .rejected(TestError(1)) : .fulfilled(2)
    }
    world.run {
      let saved = Promise.traverse(documents, concurrency: 4) { document in save(document).asResult() }
      world.runUntilIdle()
      #expect(saved.state.value?.map { (try? $0.get()) ?? 0 } == [0, 2])
    }
  }
}
