// The likeliest mistakes with operators that read asynchronous sequences or take async closures.
import PromiseCombinators

nonisolated final class Box {}

nonisolated final class Ticks<Element>: AsyncSequence, AsyncIteratorProtocol {
  func makeAsyncIterator() -> Ticks { self }
  func next() async throws -> Element? { nil }
}

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func fetch(_ number: Int) async throws -> String { "\(number)" }

@MainActor final class Screen {
  var shown = 0

  func stateOnPool(_ numbers: AsyncStream<Int>) -> Promise<Void> {
    Promise.forEach(numbers) { number in
      // expect: main actor-isolated property 'shown' can not be mutated
      self.shown = number
      return load(number)
    }
  }

  func stateInTask(_ numbers: AsyncStream<Int>) -> Promise<[String]> {
    Promise.asyncTraverse(numbers, concurrency: 2) { number in
      // expect: main actor-isolated property 'shown' can not be mutated
      self.shown = number
      return try await fetch(number)
    }
  }

  func asyncClosure(_ numbers: AsyncStream<Int>) -> Promise<[String]> {
    // expect: cannot pass function of type '@Sendable (Int) async throws -> String' to parameter expecting synchronous
    // expect: cannot convert value of type 'String' to closure result type 'Promise<String>'
    Promise.traverse(numbers, concurrency: 2) { number in try await fetch(number) }
  }

  func promiseFromAsync() -> Promise<Int> {
    // expect: cannot convert value of type 'Promise<Int>' to closure result type 'Int'
    Promise.asyncRetry { load(1) }
  }

  func value(_ numbers: AsyncStream<Int>) -> Promise<[Int]> {
    // expect: cannot convert value of type 'Int' to closure result type 'Promise<Int>'
    Promise.traverse(numbers, concurrency: 2) { number in number + 1 }
  }

  func notSendable() -> Promise<Void> {
    // expect: (aka 'Box') does not conform to the 'Sendable' protocol
    Promise.forEach(Ticks<Box>()) { _ in load(1) }
  }
}
