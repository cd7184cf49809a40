/// A double-ended queue. Removing an element from either end moves no other element.
package struct CircularBuffer<Element> {
  /// Invariant: the number of slots is zero or a power of two.
  private var slots: [Element?] = []
  private var head = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ element: consuming Element) {
    if count == slots.count { grow() }
    slots[slot(of: count)] = element
    count += 1
  }

  /// Removes and returns the first element, or returns `nil` if there is none.
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[head].take()
    head = slot(of: 1)
    count -= 1
    return element
  }

  /// The element at an offset from the first one.
  ///
  /// - Precondition: `offset` is less than ``count``.
  package subscript(offset: Int) -> Element {
    guard offset < count, let element = slots[slot(of: offset)] else { preconditionFailure("no element \(offset)") }
    return element
  }

  /// Removes and returns the element at an offset from the first one.
  ///
  /// - Precondition: `offset` is less than ``count``.
  /// - Complexity: O(1) at either end, otherwise O(*n*), where *n* is the number of slots.
  package mutating func remove(at offset: Int) -> Element {
    let element = self[offset]
    if offset == 0 {
      _ = popFirst()
    } else if offset == count - 1 {
      _ = popLast()
    } else {
      // If the gap is after the head, the elements between the head and the gap move by one slot. Otherwise the
      // elements between the gap and the end do. All others keep their slots.
      let gap = slot(of: offset)
      let end = slot(of: count - 1)
      slots.remove(at: gap)
      if gap > head {
        slots.insert(nil, at: head)
        head = slot(of: 1)
      } else {
        slots.insert(nil, at: end)
      }
      count -= 1
    }
    return element
  }

  /// Moves up to `maxCount` elements from the beginning of another buffer to the end of this one.
  package mutating func append(first maxCount: Int, of other: inout CircularBuffer) {
    for _ in 0..<min(maxCount, other.count) {
      if let element = other.popFirst() { append(element) }
    }
  }

  /// Moves all elements of another buffer to the beginning of this one, in order.
  package mutating func prepend(_ other: inout CircularBuffer) {
    while let element = other.popLast() {
      if count == slots.count { grow() }
      head = slot(of: -1)
      slots[head] = element
      count += 1
    }
  }

  private mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return slots[slot(of: count)].take()
  }

  /// Takes the storage of a buffer that is empty and was long. The caller releases it where that may take time, outside
  /// a lock.
  ///
  /// - Returns: the storage, or `nil` if the buffer has elements or little storage.
  package mutating func takeExcessStorage() -> [Element?]? {
    guard isEmpty, slots.count > Self.maxRetainedCount else { return nil }
    head = 0
    defer { slots = [] }
    return slots
  }

  private static var maxRetainedCount: Int { 1024 }

  private func slot(of offset: Int) -> Int { (head + offset) & (slots.count - 1) }

  private mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(max(16, 2 * count))
    for offset in 0..<count { larger.append(slots[slot(of: offset)].take()) }
    while larger.count < max(16, 2 * count) { larger.append(nil) }
    slots = larger
    head = 0
  }
}
