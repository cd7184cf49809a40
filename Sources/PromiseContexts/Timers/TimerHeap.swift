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
    guard let place = entry.place else { return false }
    entry.place = nil
    let last = entries.removeLast()
    // What a burst of timers took goes with the last of them.
    if entries.isEmpty, entries.capacity > 1_024 { entries = [] }
    guard last !== entry else { return true }
    // The last one takes the place, and goes from there where it belongs.
    if place > 0, last.isBefore(entries[(place - 1) / 2]) {
      moveUp(last, from: place)
    } else {
      moveDown(last, from: place)
    }
    return true
  }

  private mutating func moveUp(_ entry: TimerEntry, from start: Int) {
    var place = start
    while place > 0 {
      let above = (place - 1) / 2
      guard entry.isBefore(entries[above]) else { break }
      put(entries[above], at: place)
      place = above
    }
    put(entry, at: place)
  }

  private mutating func moveDown(_ entry: TimerEntry, from start: Int) {
    var place = start
    while true {
      var below = 2 * place + 1
      guard below < entries.count else { break }
      if below + 1 < entries.count, entries[below + 1].isBefore(entries[below]) { below += 1 }
      guard entries[below].isBefore(entry) else { break }
      put(entries[below], at: place)
      place = below
    }
    put(entry, at: place)
  }

  private mutating func put(_ entry: TimerEntry, at place: Int) {
    entries[place] = entry
    entry.place = place
  }
}
