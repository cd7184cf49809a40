/// A queue with two ends, in which taking one element moves none of the others.
package struct Ring<Element> {
  /// As many places as a power of two, or none.
  private var places: [Element?] = []
  private var head = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ element: consuming Element) {
    if count == places.count { grow() }
    places[place(of: count)] = element
    count += 1
  }

  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = places[head].take()
    head = place(of: 1)
    count -= 1
    return element
  }

  /// The element that so many others are before. There must be one.
  package subscript(offset: Int) -> Element {
    guard offset < count, let element = places[place(of: offset)] else { preconditionFailure("no element \(offset)") }
    return element
  }

  /// Takes out the element that so many others are before. There must be one.
  ///
  /// - Complexity: O(*n*), where *n* is the number of places: two moves of memory; O(1) at either end.
  package mutating func remove(at offset: Int) -> Element {
    let element = self[offset]
    if offset == 0 {
      _ = popFirst()
    } else if offset == count - 1 {
      _ = popLast()
    } else {
      // The places from the hole to the nearer end of this stretch of the array move by one; the others keep their places.
      let (hole, end) = (place(of: offset), place(of: count - 1))
      places.remove(at: hole)
      if hole > head {
        places.insert(nil, at: head)
        head = place(of: 1)
      } else {
        places.insert(nil, at: end)
      }
      count -= 1
    }
    return element
  }

  /// Moves what is first in another queue, `most` elements or fewer, to the end of this one.
  package mutating func append(first most: Int, of other: inout Ring) {
    for _ in 0..<min(most, other.count) {
      if let element = other.popFirst() { append(element) }
    }
  }

  /// Moves all of another queue to the beginning of this one, in its order.
  package mutating func prepend(_ other: inout Ring) {
    while let element = other.popLast() {
      if count == places.count { grow() }
      head = place(of: -1)
      places[head] = element
      count += 1
    }
  }

  private mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return places[place(of: count)].take()
  }

  /// The room of a queue that is empty and was long, for the caller to let go where that may take its time.
  package mutating func giveUpRoom() -> [Element?]? {
    guard isEmpty, places.count > Self.mostKept else { return nil }
    head = 0
    defer { places = [] }
    return places
  }

  private static var mostKept: Int { 1024 }

  private func place(of offset: Int) -> Int { (head + offset) & (places.count - 1) }

  private mutating func grow() {
    var wider: [Element?] = []
    wider.reserveCapacity(max(16, 2 * count))
    for offset in 0..<count { wider.append(places[place(of: offset)].take()) }
    while wider.count < max(16, 2 * count) { wider.append(nil) }
    places = wider
    head = 0
  }
}
