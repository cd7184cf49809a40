/// Shares the iterator of a sequence among handlers that run one after another.
final class IteratorBox<Elements: Sequence>: @unchecked Sendable {
  // `@unchecked Sendable`, because handlers use the box one after another, and each of them starts after the previous
  // one has ended.
  private var iterator: Elements.Iterator

  init(_ elements: Elements) { iterator = elements.makeIterator() }

  /// Returns the next element. The sequence produces no element before it is requested.
  func next() -> Elements.Element? { iterator.next() }
}
