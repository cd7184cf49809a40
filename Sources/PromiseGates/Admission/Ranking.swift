import PromiseContexts

/// The guests of a ``WaitQueue`` that wait and have a priority, in the order of their admission.
///
/// A group contains the guests with one priority, in the order in which they were appended. The level of a priority is
/// read when a guest is admitted, so a change of the level need not reach the queue.
struct Ranking {
  private struct Group {
    let priority: QueuePriority
    var ids = CircularBuffer<Int>()
  }

  private var groups: [Group] = []
  /// The index of the group of each priority.
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The number of guests that wait.
  private var guestCount = 0
  /// The number of IDs in the groups. They include those of guests that have been admitted or withdrawn.
  private var idCount = 0

  /// Appends a guest to the group of a priority.
  mutating func append(_ id: Int, with priority: QueuePriority) {
    guestCount += 1
    idCount += 1
    let key = ObjectIdentifier(priority)
    let index = indices[key] ?? groups.count
    if index == groups.count {
      groups.append(Group(priority: priority))
      indices[key] = index
    }
    groups[index].ids.append(id)
  }

  /// The guest with the highest level. Among equal levels, it is the one that was appended first.
  ///
  /// - Parameter isRanked: returns whether a guest waits.
  /// - Complexity: O(*n*), where *n* is the number of groups, and amortized O(1) for each guest that no longer waits.
  mutating func first(where isRanked: (Int) -> Bool) -> (id: Int, level: Int)? {
    var first: (id: Int, level: Int)?
    var index = 0
    while index < groups.count {
      while !groups[index].ids.isEmpty, !isRanked(groups[index].ids[0]) {
        _ = groups[index].ids.popFirst()
        idCount -= 1
      }
      if groups[index].ids.isEmpty {
        removeGroup(at: index)
        continue
      }
      let id = groups[index].ids[0]
      let level = groups[index].priority.level
      if first.map({ ($0.level, id) < (level, $0.id) }) ?? true { first = (id, level) }
      index += 1
    }
    return first
  }

  private mutating func removeGroup(at index: Int) {
    // The release of the priority runs no code of a client, so it may happen under the lock of the gate.
    indices[ObjectIdentifier(groups[index].priority)] = nil
    let last = groups.removeLast()
    guard index < groups.count else { return }
    groups[index] = last
    indices[ObjectIdentifier(last.priority)] = index
  }

  /// Notes that a guest was admitted.
  mutating func didRemoveGuest() { guestCount -= 1 }

  /// Notes that a guest was withdrawn. Removes the IDs of guests that no longer wait if there are many of them.
  ///
  /// - Complexity: amortized O(1).
  mutating func didRemoveGuest(keeping isRanked: (Int) -> Bool) {
    guestCount -= 1
    guard idCount > 2 * guestCount + 16 else { return }
    let old = groups
    self = Ranking()
    for group in old {
      for offset in 0..<group.ids.count where isRanked(group.ids[offset]) {
        append(group.ids[offset], with: group.priority)
      }
    }
  }

  /// The levels of the guests in the groups, by their IDs. For descriptions.
  var levels: [Int: Int] {
    var levels: [Int: Int] = [:]
    for group in groups {
      for offset in 0..<group.ids.count { levels[group.ids[offset]] = group.priority.level }
    }
    return levels
  }
}
