/// A first-in-first-out queue in which taking one element moves none of the others.
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

  /// Moves what is first in another queue, `most` elements or fewer, to the end of this one.
  package mutating func append(first most: Int, of other: inout Ring) {
    for _ in 0..<min(most, other.count) {
      if let element = other.popFirst() { append(element) }
    }
  }

  private func place(of offset: Int) -> Int { (head + offset) & (places.count - 1) }

  private mutating func grow() {
    let wider = max(16, 2 * count)
    let filled = (0..<count).map { places[place(of: $0)] }
    places = filled + Array(repeating: nil, count: wider - count)
    head = 0
  }
}
