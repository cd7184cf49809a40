// Operators that read asynchronous sequences, including operators in code of an actor.
import PromiseCombinators
import PromiseGates

/// An asynchronous sequence that is its own iterator and is not `Sendable`.
nonisolated final class Ticks: AsyncSequence, AsyncIteratorProtocol {
  private var number = 0
  func makeAsyncIterator() -> Ticks { self }
  func next() async throws -> Int? {
    number += 1
    return number < 9 ? number : nil
  }
}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func isWorthIt(_ remaining: Int, _ error: any Error) async -> Bool { remaining > 1 }
nonisolated func fetch(_ number: Int) async throws -> String { "\(number)" }

@MainActor final class Screen {
  var shown = 0

  func all(
    _ numbers: AsyncStream<Int>, _ tries: AsyncThrowingStream<Int, any Error>,
    any: any AsyncSequence<Int, Never> & Sendable
  ) -> [AnyPromise] {
    [
      Promise.traverse(numbers, concurrency: 4) { load($0) },
      Promise.traverse(tries, concurrency: 4) { number in
        let next = number + 1
        return load(next).map { "\($0)" }
      },
      Promise.traverse(Ticks(), concurrency: 2) { load($0) },
      Promise.traverse(numbers.map { $0 + 1 }.filter { $0 > 2 }, concurrency: 2) { load($0) },
      Promise.traverse(numbers.map { number in await self.count(number) }, concurrency: 2) { load($0) },
      Promise.traverse(any, concurrency: 2) { load($0) },
      Promise.traverse(numbers, concurrency: 2, on: .main) { number in
        self.shown += number
        return load(number)
      },
      Promise.forEach(load(1).progressUpdates) { fraction in load(Int(fraction)) },
      Promise.forEach(numbers.prefix(3), on: .main) { number in
        self.shown += number
        return load(number)
      },
      Promise.asyncTraverse(numbers, concurrency: 4) { try await fetch($0) },
      Promise.asyncTraverse([1, 2, 3], concurrency: 4) { number in
        let text = try await fetch(number)
        return text.count
      },
      Promise.asyncTraverse(Set([1]), concurrency: 4) { @MainActor number in
        self.shown += number
        return self.shown
      },
      Promise.asyncRetry { try await fetch(1) },
      Promise.asyncRetry(attempts: 3, backoff: .exponential(first: .seconds(1)), while: isWorthIt) {
        let text = try await fetch(1)
        return text.count
      },
    ]
  }

  func count(_ number: Int) -> Int { shown + number }

  func gates(_ flights: SingleFlight<Int, String>, _ rate: RateLimit) -> [AnyPromise] {
    [flights.asyncRun(for: 1) { try await fetch(1) }, rate.asyncRun { try await fetch(1) }]
  }
}

actor Store {
  func all(_ numbers: AsyncStream<Int>) async throws -> [Int] {
    try await Promise.traverse(numbers, concurrency: 4) { load($0) }.value
  }
}
