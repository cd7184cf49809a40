// A sequence that is not `Sendable` is sent to the Task that reads it.
import PromiseCombinators

nonisolated final class Ticks: AsyncSequence, AsyncIteratorProtocol {
  func makeAsyncIterator() -> Ticks { self }
  func next() async throws -> Int? { nil }
}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

@MainActor final class Screen {
  let ticks = Ticks()

  func ofActor() -> Promise<[Int]> {
    // expect: sending 'self.ticks' risks causing data races
    Promise.traverse(ticks, concurrency: 2) { load($0) }
  }

  func usedAfterwards() -> Promise<[Int]> {
    let ticks = Ticks()
    // expect: sending 'ticks' risks causing data races
    let result = Promise.traverse(ticks, concurrency: 2) { load($0) }
    print(ticks)
    return result
  }
}
