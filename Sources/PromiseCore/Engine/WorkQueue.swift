/// A queue that a loop works off while the work adds to it.
///
/// Usually each element leads to at most one more. Because the array is emptied when it is used up, its size stays
/// constant however long such a chain is.
struct WorkQueue<Element> {
  private var elements: [Element] = []
  private var countTaken = 0

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func append(contentsOf others: [Element]) {
    // Usually the queue is empty, and takes the array over.
    if elements.isEmpty { elements = others } else { elements += others }
  }

  mutating func popFirst() -> Element? {
    guard countTaken < elements.count else { return nil }
    defer {
      countTaken += 1
      if countTaken == elements.count {
        elements.removeAll(keepingCapacity: true)
        countTaken = 0
      }
    }
    return elements[countTaken]
  }
}
