import PromiseContexts
import PromiseCore

/// A queue of entries that wait for places, or have them. It calls no closure.
///
///     append ──▶ waiting or ranked ──admitFirst──▶ admitted ──enter──▶ running ──remove──▶ removed
///                       └───────────remove─────────────┴────────remove─────────────────────┘
///
/// Invariant: entries without a priority are admitted in the order in which they were appended. An entry that needs
/// many places is therefore not starved by later entries that need few. Entries with a priority are ranked. Their order
/// is that of the levels of their priorities at the time of the admission, and among equal levels that in which they
/// were appended. An entry without a priority has the level 0.
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

  /// An admitted or running entry has its places. A ranked entry waits, and has a priority.
  fileprivate enum Stage {
    case waiting, ranked, admitted, running

    var isWaiting: Bool { self == .waiting || self == .ranked }
  }

  /// A state of the queue for which clients wait.
  enum Calm: CaseIterable {
    /// No entry is left.
    case idle
    /// No entry has its places.
    case empty
  }

  /// The number of places that no entry has.
  private(set) var freePlaces: Int
  private var entries: [Int: Entry] = [:]
  private var nextID = 0
  /// Invariant: no entry with a lower ID is in the stage `waiting`.
  private var firstWaitingID = 0
  private(set) var waitingCount = 0
  /// The number of entries that are admitted and do not run yet.
  private(set) var admittedCount = 0
  private var sideTable: SideTable?

  /// Fields that few queues need. A queue allocates them on first use.
  private final class SideTable {
    let waitingLimit: WaitingLimit?
    var ranking = Ranking()
    /// Fulfilled by the caller.
    var promises: [Calm: Promise<Void>] = [:]

    init(waitingLimit: WaitingLimit? = nil) { self.waitingLimit = waitingLimit }
  }

  /// Creates an empty queue.
  ///
  /// - Parameter waitingLimit: how long an entry may wait, for the caller.
  init(places: Int, waitingLimit: WaitingLimit? = nil) {
    freePlaces = places
    if waitingLimit != nil { sideTable = SideTable(waitingLimit: waitingLimit) }
  }

  /// How long an entry may wait, or `nil` if there is no limit.
  var waitingLimit: WaitingLimit? { sideTable?.waitingLimit }

  /// The number of entries that have their places.
  var holderCount: Int { entries.count - waitingCount }

  /// Appends an entry that needs a number of places.
  ///
  /// - Parameters:
  ///   - priority: determines the place in the queue. With `nil` it is that of the level 0.
  ///   - admitted: fulfilled by the caller when the entry is admitted.
  ///   - pool: the pool of the running code.
  /// - Returns: the ID of the entry.
  mutating func append(places: Int, priority: QueuePriority?, admitted: Promise<Void>, pool: PoolContext) -> Int {
    var entry = Entry(places: places, admitted: admitted, pool: pool)
    if let priority {
      entry.stage = .ranked
      withSideTable.ranking.append(nextID, with: priority)
    }
    entries[nextID] = entry
    waitingCount += 1
    defer { nextID += 1 }
    return nextID
  }

  /// The side table, which is allocated if there is none.
  private var withSideTable: SideTable {
    mutating get {
      if let sideTable { return sideTable }
      let sideTable = SideTable()
      self.sideTable = sideTable
      return sideTable
    }
  }

  /// The entry that is to be admitted next, or `nil` if no entry waits or too few places are free for the first one.
  var firstAdmissible: Entry? {
    mutating get { idOfFirstAdmissible().flatMap { entries[$0] } }
  }

  /// Admits the entry that is to be admitted next. It gets its places.
  ///
  /// - Returns: the entry, or `nil` if no entry waits or too few places are free for the first one.
  /// - Complexity: amortized O(1), and O(*n*) if *n* priorities have entries that wait.
  mutating func admitFirst() -> Entry? {
    // The levels of priorities may change at any time, so the entry is looked up once.
    guard let id = idOfFirstAdmissible(), var entry = entries[id] else { return nil }
    if entry.stage == .ranked { sideTable?.ranking.didRemoveEntry() }
    freePlaces -= entry.places
    entry.stage = .admitted
    entries[id] = entry
    if id == firstWaitingID { firstWaitingID += 1 }
    waitingCount -= 1
    admittedCount += 1
    return entry
  }

  /// The entries that have their places, in the order in which they were appended.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of entries. For descriptions.
  var holders: [Entry] {
    entries.filter { !$0.value.stage.isWaiting }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The number of entries that wait before the one with that promise. For descriptions.
  func countWaiting(before admitted: AnyPromise) -> Int {
    guard let id = entries.first(where: { $0.value.admitted === admitted })?.key else { return 0 }
    let levels = sideTable?.ranking.levels ?? [:]
    let level = levels[id, default: 0]
    return entries.count { other, entry in
      let otherLevel = levels[other, default: 0]
      return entry.stage.isWaiting && (otherLevel > level || otherLevel == level && other < id)
    }
  }

  /// The entry that is to be admitted next.
  var firstWaiting: Entry? {
    mutating get { idOfFirstWaiting().flatMap { entries[$0] } }
  }

  private mutating func idOfFirstAdmissible() -> Int? {
    // Each operation needs a place, so a full gate looks at no priorities.
    guard freePlaces > 0, let id = idOfFirstWaiting(), let entry = entries[id], entry.places <= freePlaces else {
      return nil
    }
    return id
  }

  private mutating func idOfFirstWaiting() -> Int? {
    // Entries that were withdrawn leave gaps in the sequence of IDs, and ranked entries are not in it.
    while firstWaitingID < nextID, entries[firstWaitingID]?.stage != .waiting { firstWaitingID += 1 }
    let first = firstWaitingID < nextID ? firstWaitingID : nil
    guard let ranked = sideTable?.ranking.first(where: { entries[$0]?.stage == .ranked }) else { return first }
    guard let first else { return ranked.id }
    return ranked.level > 0 || ranked.level == 0 && ranked.id < first ? ranked.id : first
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

  /// Removes an entry, and frees its places if it has them.
  ///
  /// - Returns: the removed entry, to be released outside the lock.
  mutating func remove(_ id: Int) -> Entry? {
    guard let entry = entries[id] else { return nil }
    entries[id] = nil
    if entry.stage.isWaiting {
      waitingCount -= 1
    } else {
      freePlaces += entry.places
    }
    if entry.stage == .admitted { admittedCount -= 1 }
    if entry.stage == .ranked { sideTable?.ranking.didRemoveEntry { entries[$0]?.stage == .ranked } }
    // Releases the memory that a burst of entries has needed.
    if entries.isEmpty, entries.capacity > 100 { entries = [:] }
    return entry
  }

  /// Returns the promise that is to be fulfilled when the queue is calm, or `nil` if it is now.
  ///
  /// - Parameter new: stored if there is no such promise yet.
  mutating func promise(for calm: Calm, orStore new: Promise<Void>) -> Promise<Void>? {
    if isCalm(calm) { return nil }
    let sideTable = withSideTable
    if let promise = sideTable.promises[calm] { return promise }
    sideTable.promises[calm] = new
    return new
  }

  /// Takes a promise that is to be fulfilled because the queue is calm.
  func takePromiseForCalm() -> Promise<Void>? {
    guard let sideTable, holderCount == 0, !sideTable.promises.isEmpty else { return nil }
    for calm in Calm.allCases where isCalm(calm) {
      if let promise = sideTable.promises.removeValue(forKey: calm) { return promise }
    }
    return nil
  }

  private func isCalm(_ calm: Calm) -> Bool { calm == .idle ? entries.isEmpty : holderCount == 0 }
}
