import PromiseTesting
import TestSupport

/// The natural numbers, each recorded when it is asked for. Endless, and `Sendable`.
struct Naturals: Sequence, IteratorProtocol, Sendable {
  let asked: Log<Int>
  private var number = 0

  init(asked: Log<Int>) { self.asked = asked }

  mutating func next() -> Int? {
    asked.append(number)
    defer { number += 1 }
    return number
  }
}
