/// Timers in the order in which they are due, those due at the same time in the order of their tickets.
///
/// A binary heap that tells each entry where it stands, so that one can be taken out from the middle. No lock and no clock:
/// whoever owns the heap sees to both.
package struct TimerHeap {
  /// All that are in it, the first in front, the others in no order.
  package private(set) var entries: [TimerEntry] = []

  package init() {}

  package var count: Int { entries.count }

  /// The next one.
  package var first: TimerEntry? { entries.first }

  /// When the first is due.
  package var earliest: UInt64? { entries.first?.deadline }

  /// - Complexity: O(log n); O(1) if all that are in the heap are due before.
  package mutating func insert(_ entry: TimerEntry, ticket: UInt64) {
    entry.ticket = ticket
    entries.append(entry)
    moveUp(entry, from: entries.count - 1)
  }

  /// Takes out the first, if it is due.
  ///
  /// - Complexity: O(log n).
  package mutating func removeFirst(dueAt now: UInt64) -> TimerEntry? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    _ = remove(first)
    return first
  }

  /// - Returns: whether it was in the heap.
  /// - Complexity: O(log n).
  package mutating func remove(_ entry: TimerEntry) -> Bool {
    guard let index = entry.heapIndex else { return false }
    entry.heapIndex = nil
    let last = entries.removeLast()
    // What a burst of timers took goes with the last of them.
    if entries.isEmpty, entries.capacity > 1_024 { entries = [] }
    guard last !== entry else { return true }
    // The last one takes the place, and goes from there where it belongs.
    if index > 0, last.isBefore(entries[(index - 1) / 2]) {
      moveUp(last, from: index)
    } else {
      moveDown(last, from: index)
    }
    return true
  }

  private mutating func moveUp(_ entry: TimerEntry, from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entry.isBefore(entries[parent]) else { break }
      store(entries[parent], at: index)
      index = parent
    }
    store(entry, at: index)
  }

  private mutating func moveDown(_ entry: TimerEntry, from start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard entries[child].isBefore(entry) else { break }
      store(entries[child], at: index)
      index = child
    }
    store(entry, at: index)
  }

  private mutating func store(_ entry: TimerEntry, at index: Int) {
    entries[index] = entry
    entry.heapIndex = index
  }
}
