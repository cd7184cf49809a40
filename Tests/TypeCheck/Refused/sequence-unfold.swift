// `UnfoldSequence` is declared `Sendable`, but its closure belongs to the actor whose code creates it. The closure
// would trap in the pool.
import PromiseCombinators

@MainActor final class Feed {
  var step = 1

  func pages() -> Promise<[Int]> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    Promise.traverse(sequence(first: 1) { $0 < 9 ? $0 + 1 : nil }, concurrency: 2) { .fulfilled($0) }
  }

  func numbered() -> Promise<[Int]> {
    let pages = zip(sequence(first: 1) { $0 + self.step }, 0..<9)
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    return Promise.traverse(pages, concurrency: 2, on: .main) { page, _ in .fulfilled(page) }
  }

  func finished() -> Promise<[Int]> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    Promise.traverse(sequence(first: 1) { $0 + 1 }, concurrency: 2, until: .finished) { .fulfilled($0) }
  }

  func finishedOnMain() -> Promise<[Int]> {
    let pages = sequence(first: 1) { $0 + self.step }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    return Promise.traverse(pages, concurrency: 2, until: .finished, on: .main) { .fulfilled($0) }
  }

  func views(_ start: Promise<Int>) {
    let pages = sequence(first: 1) { $0 + self.step }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.drop { $0 < 3 }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.map { @Sendable in $0 + 1 }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.filter { @Sendable in $0 > 1 }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.compactMap { @Sendable in $0 > 1 ? $0 : nil }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.prefix { @Sendable in $0 < 9 }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.drop { @Sendable in $0 < 3 }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.flatMap { @Sendable in [$0, $0] }) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.map { @Sendable in [$0] }.joined()) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(pages.lazy.map { @Sendable in [$0] }.joined(separator: [0])) { Promise<Int>.fulfilled($0) }
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(IteratorSequence(pages)) { Promise<Int>.fulfilled($0) }
  }

  func each() -> Promise<Void> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    Promise.forEach(sequence(state: self) { $0.step }) { page in Promise<Int>.fulfilled(page) }
  }

  func eachOnMain() -> Promise<Void> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    Promise.forEach(sequence(first: 1) { $0 + 1 }.prefix(3), on: .main) { page in Promise<Int>.fulfilled(page) }
  }

  func sum(_ start: Promise<Int>) -> Promise<Int> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated instance method 'reduce
    start.reduce(sequence(first: 1) { $0 + 1 }) { sum, page in .fulfilled(sum + page) }
  }

  func sumOnMain(_ start: Promise<Int>) -> Promise<Int> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated instance method 'reduce
    start.reduce(sequence(first: 1) { $0 + 1 }.enumerated(), on: .main) { sum, page in .fulfilled(sum + page.element) }
  }
}

actor Loader {
  nonisolated func pages() -> Promise<[Int]> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    Promise.traverse(sequence(first: 1) { $0 + 1 }.prefix(3), concurrency: 2, isolatedTo: self) { .fulfilled($1) }
  }

  nonisolated func finished() -> Promise<[Int]> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'traverse
    Promise.traverse(sequence(first: 1) { $0 + 1 }, concurrency: 2, until: .finished, isolatedTo: self) {
      .fulfilled($1)
    }
  }

  nonisolated func each() -> Promise<Void> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    Promise.forEach(sequence(first: 1) { $0 + 1 }, isolatedTo: self) { Promise<Int>.fulfilled($1) }
  }

  nonisolated func sum(_ start: Promise<Int>) -> Promise<Int> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated instance method 'reduce
    start.reduce(sequence(first: 1) { $0 + 1 }, isolatedTo: self) { .fulfilled($1 + $2) }
  }

  nonisolated func async() -> Promise<[Int]> {
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'asyncTraverse
    Promise.asyncTraverse(sequence(first: 1) { $0 + 1 }, concurrency: 2) { page in page }
  }

  func load() async {
    // expect: unavailable from asynchronous contexts
    // expect: 'UnfoldSequenceIsNotSendable'-isolated static method 'forEach
    _ = Promise.forEach(sequence(first: 1) { $0 + 1 }) { page in Promise<Int>.fulfilled(page) }
  }
}
