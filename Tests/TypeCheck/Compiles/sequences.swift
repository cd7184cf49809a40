// Operators that read collections, ranges and sequences derived from them, including operators in code of an actor.
import PromiseCombinators

struct Countdown: Sequence, IteratorProtocol, Sendable {
  var rest: Int
  nonisolated mutating func next() -> Int? {
    rest -= 1
    return rest >= 0 ? rest : nil
  }
}

@MainActor final class Feed {
  var names = ["a", "b"]
  var sizes = ["a": 1]

  func each() -> [Promise<Void>] {
    [
      Promise.forEach(names) { Promise<String>.fulfilled($0) },
      Promise.forEach(Set(names)) { Promise<String>.fulfilled($0) },
      Promise.forEach(sizes) { Promise<Int>.fulfilled($0.value) },
      Promise.forEach(sizes.keys, on: .main) { Promise<String>.fulfilled($0) },
      Promise.forEach(1...) { Promise<Int>.fulfilled($0) },
      Promise.forEach(zip(names, 0...)) { Promise<Int>.fulfilled($1) },
      Promise.forEach(names.enumerated(), on: .main) { Promise<String>.fulfilled($0.element) },
      Promise.forEach(stride(from: 0, to: 9, by: 2)) { Promise<Int>.fulfilled($0) },
      Promise.forEach(names.lazy) { Promise<String>.fulfilled($0) },
      Promise.forEach((0..<9).lazy.map { @Sendable in $0 * 2 }) { Promise<Int>.fulfilled($0) },
      Promise.forEach((0..<9).lazy.filter { @Sendable in $0 > 2 }) { Promise<Int>.fulfilled($0) },
      Promise.forEach(Countdown(rest: 3)) { Promise<Int>.fulfilled($0) },
      Promise.forEach(Array(sequence(first: 1) { $0 < 9 ? $0 + 1 : nil })) { Promise<Int>.fulfilled($0) },
    ]
  }

  func all() -> Promise<[String]> { Promise.traverse(names, concurrency: 2) { .fulfilled($0) } }

  func sum(_ start: Promise<Int>) -> Promise<Int> { start.reduce(sizes.values) { .fulfilled($0 + $1) } }
}
