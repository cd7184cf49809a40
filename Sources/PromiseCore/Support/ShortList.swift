/// An unordered list that usually has at most one element, and then needs no allocation.
struct ShortList<Element>: RandomAccessCollection, MutableCollection {
  private var first: Element?
  /// `nil` until there is a second element, so that a list of one element creates and destroys no array.
  private var others: [Element]?

  init() {}

  init(_ only: Element) { first = only }

  var startIndex: Int { 0 }
  var endIndex: Int { first == nil ? 0 : 1 + (others?.count ?? 0) }

  subscript(index: Int) -> Element {
    get {
      if index == 0, let first { return first }
      guard let others else { preconditionFailure("no element \(index)") }
      return others[index - 1]
    }
    set {
      if index == 0 { first = newValue } else { others?[index - 1] = newValue }
    }
  }

  mutating func append(_ element: consuming Element) {
    if first == nil {
      first = consume element
    } else {
      // Reserves room for a few elements, because an array that grows one by one allocates for almost each of the first
      // few.
      if others == nil {
        others = []
        others?.reserveCapacity(4)
      }
      others?.append(consume element)
    }
  }

  mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  mutating func popLast() -> Element? { others?.popLast() ?? first.take() }

  /// Removes an element. Returns the element that moves to its index, if any.
  mutating func remove(at index: Int) -> Element? {
    guard let last = others?.popLast() else {
      first = nil
      return nil
    }
    guard index <= others?.count ?? 0 else { return nil }
    self[index] = last
    return last
  }
}
