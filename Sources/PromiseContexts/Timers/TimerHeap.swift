/// Orders timers by the time at which they are due. Timers that are due at the same time are ordered by their tickets.
///
/// It is a binary heap that stores in each entry the entry's index, so that an entry can be removed from the middle. It
/// has no lock and no clock: its owner provides both.
package struct TimerHeap {
  /// All entries. The first one is in front, and the order of the others is unspecified.
  package private(set) var entries: [TimerEntry] = []

  package init() {}

  package var count: Int { entries.count }

  /// The entry that is due first.
  package var first: TimerEntry? { entries.first }

  /// The time at which the first entry is due.
  package var earliest: UInt64? { entries.first?.deadline }

  /// Inserts an entry.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of entries; O(1) if all other entries are due before.
  package mutating func insert(_ entry: TimerEntry, ticket: UInt64) {
    entry.ticket = ticket
    entries.append(entry)
    moveUp(from: entries.count - 1)
  }

  /// Removes and returns the first entry, if it is due.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of entries.
  package mutating func removeFirst(dueAt now: UInt64) -> TimerEntry? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    _ = remove(first)
    return first
  }

  /// Removes an entry.
  ///
  /// - Returns: whether the entry was in the heap.
  /// - Complexity: O(log *n*), where *n* is the number of entries.
  package mutating func remove(_ entry: TimerEntry) -> Bool {
    guard let index = entry.heapIndex else { return false }
    entry.heapIndex = nil
    let last = entries.removeLast()
    // Releases the memory that a burst of timers has needed.
    if entries.isEmpty, entries.capacity > 1_024 { entries = [] }
    guard last !== entry else { return true }
    // The last entry fills the gap, and moves up or down from there.
    entries[index] = last
    if index > 0, last.isBefore(entries[(index - 1) / 2]) {
      moveUp(from: index)
    } else {
      moveDown(from: index)
    }
    return true
  }

  private mutating func moveUp(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entries[index].isBefore(entries[parent]) else { break }
      swap(index, with: parent)
      index = parent
    }
    entries[index].heapIndex = index
  }

  private mutating func moveDown(from start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard entries[child].isBefore(entries[index]) else { break }
      swap(index, with: child)
      index = child
    }
    entries[index].heapIndex = index
  }

  /// Moves an entry to another place, and the entry that was there to the place of the first one.
  private mutating func swap(_ index: Int, with other: Int) {
    entries.swapAt(index, other)
    entries[index].heapIndex = index
  }
}
