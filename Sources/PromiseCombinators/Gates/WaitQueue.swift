import PromiseCore

/// Who waits for a place, and who has one: first in, first out. It runs nothing.
///
///     join ──▶ waiting ──admitFirst──▶ admitted ──enter──▶ running ──leave──▶ gone
///                 └───────give up──────────┴──────give up────────────────────┘
///
/// Nobody overtakes the first: one that wants many places is not kept waiting for ever by those who want few.
struct WaitQueue {
  /// Somebody who was let in, or waits for it.
  struct Entry {
    fileprivate let places: Int
    fileprivate var stage = Stage.waiting
    /// Fulfilled when it is let in.
    let admitted: Promise<Void>
  }

  fileprivate enum Stage { case waiting, admitted, running }

  /// How many places nobody has.
  private(set) var freePlaces: Int
  private var entries: [Int: Entry] = [:]
  private var nextID = 0
  /// Whoever has a lower one was let in, or has gone.
  private var firstWaitingID = 0
  private(set) var waitingCount = 0
  /// How many are neither waiting nor running.
  private(set) var admittedCount = 0

  init(places: Int) { freePlaces = places }

  /// - Returns: the id.
  mutating func append(places: Int, admitted: Promise<Void>) -> Int {
    entries[nextID] = Entry(places: places, admitted: admitted)
    waitingCount += 1
    defer { nextID += 1 }
    return nextID
  }

  /// Gives the first who waits his places; `nil`: nobody waits, or there are too few.
  ///
  /// - Complexity: O(1), over all calls.
  mutating func admitFirst() -> Entry? {
    guard var entry = firstWaiting, entry.places <= freePlaces else { return nil }
    freePlaces -= entry.places
    entry.stage = .admitted
    entries[firstWaitingID] = entry
    firstWaitingID += 1
    waitingCount -= 1
    admittedCount += 1
    return entry
  }

  var firstWaiting: Entry? {
    mutating get {
      // Some have given up.
      while firstWaitingID < nextID, entries[firstWaitingID] == nil { firstWaitingID += 1 }
      return entries[firstWaitingID]
    }
  }

  /// What it was let in for begins. `false`: it has given up.
  mutating func enter(_ id: Int) -> Bool {
    guard var entry = entries[id] else { return false }
    // Taken out and put back: to change it in place would be three blocks for the dictionary's coroutines.
    entry.stage = .running
    entries[id] = entry
    admittedCount -= 1
    return true
  }

  /// It does not want to get in any more; if it is running, nothing happens.
  mutating func withdraw(_ id: Int) -> Entry? {
    guard let entry = entries[id], entry.stage != .running else { return nil }
    if entry.stage == .waiting {
      waitingCount -= 1
    } else {
      admittedCount -= 1
      freePlaces += entry.places
    }
    remove(id)
    return entry
  }

  /// It was running, and is done.
  mutating func leave(_ id: Int) -> Entry? {
    guard let entry = entries[id] else { return nil }
    freePlaces += entry.places
    remove(id)
    return entry
  }

  private mutating func remove(_ id: Int) {
    entries[id] = nil
    // What a rush has needed is not kept for ever.
    if entries.isEmpty, entries.capacity > 100 { entries = [:] }
  }
}
