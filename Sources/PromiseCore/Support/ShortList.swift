/// An unordered list that usually has at most one element, and then needs no allocation.
///
/// The list is no `Collection`, because the tables and generic functions of that protocol would stay in every program.
struct ShortList<Element> {
  private var first: Element?
  /// `nil` until there is a second element, so that a list of one element creates and destroys no array.
  private var others: [Element]?

  init() {}

  init(_ only: Element) { first = only }

  var isEmpty: Bool { first == nil }
  var count: Int { first == nil ? 0 : 1 + (others?.count ?? 0) }

  subscript(index: Int) -> Element {
    if index == 0, let first { return first }
    guard let others else { preconditionFailure("no element \(index)") }
    return others[index - 1]
  }

  /// Calls the body with each element.
  func forEachElement(_ body: (Element) -> Void) {
    guard let first else { return }
    body(first)
    guard let others else { return }
    for element in others { body(element) }
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

  mutating func popLast() -> Element? { others?.popLast() ?? first.take() }
}
