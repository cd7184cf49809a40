/// A queue that a loop works off while the work adds to it.
///
/// Usually each element leads to at most one more. Because the array is emptied when it is used up, its size stays
/// constant however long such a chain is.
struct WorkQueue<Element> {
  private var elements: [Element] = []
  private var countTaken = 0

  mutating func append(_ element: Element) { elements.append(element) }

  @inline(__always)
  mutating func popFirst() -> Element? { countTaken < elements.count ? takeFirst() : nil }

  private mutating func takeFirst() -> Element {
    if elements.count - countTaken > 1 {
      countTaken += 1
      return elements[countTaken - 1]
    }
    // Usually the only element.
    let last = elements.removeLast()
    if countTaken > 0 {
      elements.removeAll(keepingCapacity: true)
      countTaken = 0
    }
    return last
  }
}
