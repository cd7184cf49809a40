/// The elements of a sequence, one at a time. Touched by one handler at a time, each after the one before.
final class IteratorBox<Elements: Sequence>: @unchecked Sendable {
  // `@unchecked`: for the reason above.
  private var iterator: Elements.Iterator

  init(_ elements: Elements) { iterator = elements.makeIterator() }

  /// A sequence is asked for an element only when that is wanted.
  func next() -> Elements.Element? { iterator.next() }
}
