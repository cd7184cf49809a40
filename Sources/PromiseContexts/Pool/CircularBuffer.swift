/// A queue with two ends, in which taking one element moves none of the others.
package struct CircularBuffer<Element> {
  /// As many slots as a power of two, or none.
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

  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[head].take()
    head = slot(of: 1)
    count -= 1
    return element
  }

  /// The element that so many others are before. There must be one.
  package subscript(offset: Int) -> Element {
    guard offset < count, let element = slots[slot(of: offset)] else { preconditionFailure("no element \(offset)") }
    return element
  }

  /// Takes out the element that so many others are before. There must be one.
  ///
  /// - Complexity: O(*n*), where *n* is the number of slots: two moves of memory; O(1) at either end.
  package mutating func remove(at offset: Int) -> Element {
    let element = self[offset]
    if offset == 0 {
      _ = popFirst()
    } else if offset == count - 1 {
      _ = popLast()
    } else {
      // The places from the hole to the nearer end of this stretch of the array move by one; the others keep their slots.
      let (gap, end) = (slot(of: offset), slot(of: count - 1))
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

  /// Moves what is first in another queue, `maxCount` elements or fewer, to the end of this one.
  package mutating func append(first maxCount: Int, of other: inout CircularBuffer) {
    for _ in 0..<min(maxCount, other.count) {
      if let element = other.popFirst() { append(element) }
    }
  }

  /// Moves all of another queue to the beginning of this one, in its order.
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

  /// The room of a queue that is empty and was long, for the caller to let go where that may take its time.
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
