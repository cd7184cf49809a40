// Operators read their sequence on the context of their closure. So the sequence must not call closures of an actor.
import PromiseCombinators

@MainActor final class Feed {
  var step = 1

  func pages() -> Promise<[Int]> {
    // expect: sending value of non-Sendable type
    Promise.traverse((0..<9).lazy.map { $0 + self.step }, concurrency: 2) { .fulfilled($0) }
  }

  func each() -> Promise<Void> {
    // expect: sending value of non-Sendable type
    Promise.forEach(AnyIterator { 1 }) { page in Promise<Int>.fulfilled(page) }
  }

  func sum(_ start: Promise<Int>) -> Promise<Int> {
    // expect: sending value of non-Sendable type
    start.reduce((0..<9).lazy.filter { $0 > self.step }, on: .main) { sum, page in .fulfilled(sum + page) }
  }
}
