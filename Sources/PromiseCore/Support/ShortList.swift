/// An unordered list that mostly has one element, and then costs no allocation.
struct ShortList<Element>: RandomAccessCollection, MutableCollection {
  private var first: Element?
  /// `nil`, and not empty, until it is needed: to make and to destroy a list of one is to touch no array.
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
      // Some room at once. To grow from nothing, one by one, is an allocation for almost each of the first few.
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

  /// Takes an element out. Returns the one that stands at its index from now on, if it is another.
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
