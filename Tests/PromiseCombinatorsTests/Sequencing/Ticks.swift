import TestSupport

/// An asynchronous sequence that is not `Sendable`, and neither is its iterator. It logs each number that is requested.
final class Ticks: AsyncSequence, AsyncIteratorProtocol {
  private let asked: Log<Int>
  private let tracked: Tracked?
  private let element: @Sendable (Int) async throws -> Int?
  private var number = 0

  init(_ asked: Log<Int>, _ tracked: Tracked? = nil, _ element: @escaping @Sendable (Int) async throws -> Int?) {
    self.asked = asked
    self.tracked = tracked
    self.element = element
  }

  /// Makes a sequence of the numbers below `end`.
  convenience init(_ end: Int, _ asked: Log<Int> = Log(), _ tracked: Tracked? = nil) {
    self.init(asked, tracked) { $0 < end ? $0 : nil }
  }

  func makeAsyncIterator() -> Ticks { self }

  func next() async throws -> Int? {
    asked.append(number)
    defer { number += 1 }
    return try await element(number)
  }
}
