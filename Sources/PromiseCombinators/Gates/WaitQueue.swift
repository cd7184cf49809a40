import PromiseContexts
import PromiseCore

/// A first-in, first-out queue of entries that wait for places, or have them. It calls no closure.
///
///     append ──▶ waiting ──admitFirst──▶ admitted ──enter──▶ running ──leave──▶ removed
///                   └──────withdraw──────────┴──────withdraw────────────────────┘
///
/// Invariant: entries are admitted in the order in which they were appended. An entry that needs many places is
/// therefore not starved by later entries that need few.
struct WaitQueue {
  /// A closure that waits for its places, or has them.
  struct Entry {
    fileprivate let places: Int
    fileprivate var stage = Stage.waiting
    /// Fulfilled when the entry is admitted.
    let admitted: Promise<Void>
    /// The pool of the code that has appended the entry.
    let pool: PoolContext
  }

  /// An admitted or running entry has its places.
  fileprivate enum Stage { case waiting, admitted, running }

  /// The number of places that no entry has.
  private(set) var freePlaces: Int
  private var entries: [Int: Entry] = [:]
  private var nextID = 0
  /// Invariant: no entry with a lower ID waits.
  private var firstWaitingID = 0
  private(set) var waitingCount = 0
  /// The number of entries that are admitted and do not run yet.
  private(set) var admittedCount = 0

  init(places: Int) { freePlaces = places }

  /// Appends an entry that needs a number of places.
  ///
  /// - Parameters:
  ///   - admitted: fulfilled by the caller when the entry is admitted.
  ///   - pool: the pool of the running code.
  /// - Returns: the ID of the entry.
  mutating func append(places: Int, admitted: Promise<Void>, pool: PoolContext) -> Int {
    entries[nextID] = Entry(places: places, admitted: admitted, pool: pool)
    waitingCount += 1
    defer { nextID += 1 }
    return nextID
  }

  /// The first waiting entry, or `nil` if no entry waits or too few places are free for the first one.
  var firstAdmissible: Entry? {
    mutating get {
      guard let entry = firstWaiting, entry.places <= freePlaces else { return nil }
      return entry
    }
  }

  /// Admits the entry ``firstAdmissible``, if there is one. It gets its places.
  ///
  /// - Complexity: amortized O(1).
  mutating func admitFirst() {
    guard var entry = firstAdmissible else { return }
    freePlaces -= entry.places
    entry.stage = .admitted
    entries[firstWaitingID] = entry
    firstWaitingID += 1
    waitingCount -= 1
    admittedCount += 1
  }

  /// The entries that have their places, in the order in which they were admitted.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of entries. For descriptions.
  var holders: [Entry] {
    entries.filter { $0.value.stage != .waiting }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The number of entries that wait before the one with that promise. For descriptions.
  func countWaiting(before admitted: AnyPromise) -> Int {
    let id = entries.first { $0.value.admitted === admitted }?.key ?? 0
    return entries.count { $0.key < id && $0.value.stage == .waiting }
  }

  /// The entry that is to be admitted next.
  var firstWaiting: Entry? {
    mutating get {
      // Entries that were withdrawn leave gaps in the sequence of IDs.
      while firstWaitingID < nextID, entries[firstWaitingID] == nil { firstWaitingID += 1 }
      return entries[firstWaitingID]
    }
  }

  /// Marks an admitted entry as running.
  ///
  /// - Returns: `false` if the entry was withdrawn.
  mutating func enter(_ id: Int) -> Bool {
    guard var entry = entries[id] else { return false }
    // The entry is copied and stored again. A change in place would allocate three blocks for the coroutines of the
    // dictionary's accessors.
    entry.stage = .running
    entries[id] = entry
    admittedCount -= 1
    return true
  }

  /// Removes an entry that is not running. A running entry stays.
  ///
  /// - Returns: the removed entry, to be released outside the lock.
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

  /// Removes a running entry, and frees its places.
  ///
  /// - Returns: the removed entry, to be released outside the lock.
  mutating func leave(_ id: Int) -> Entry? {
    guard let entry = entries[id] else { return nil }
    freePlaces += entry.places
    remove(id)
    return entry
  }

  private mutating func remove(_ id: Int) {
    entries[id] = nil
    // Releases the memory that a burst of entries has needed.
    if entries.isEmpty, entries.capacity > 100 { entries = [:] }
  }
}
