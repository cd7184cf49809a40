import TestSupport

/// The natural numbers as an endless, `Sendable` sequence. It logs each number that is requested.
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
