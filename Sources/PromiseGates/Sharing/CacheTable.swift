import PromiseContexts

/// The entries of a ``ValueCache``, by the hash values of their keys. It calls no closure, and compares no keys.
///
/// An entry is in the table while it has a value, or a client waits for one. The functions are called under a lock.
/// Those that remove something return it, so that the caller releases it outside the lock.
struct CacheTable<Key: Sendable, Value: Sendable> {
  /// A key, and perhaps its value.
  ///
  /// `@unchecked Sendable`, because the variables are used under the lock of the cache.
  final class Entry: NumberedEntry<Key>, @unchecked Sendable {
    fileprivate var value: Value?
    fileprivate var cost = 0
    fileprivate var storedAt = Duration.zero
    // The neighbours in the order of use. They have no meaning without a value. They are not retained, because the
    // table retains all entries with a value. So a long list is not released by recursion (rule 6.4).
    fileprivate unowned var previous: Entry?
    fileprivate unowned var next: Entry?
    /// The number of results that wait for a load.
    fileprivate var clientCount = 0
    /// Whether a client has got the value after its lifetime, and its closure loads a new one.
    fileprivate var isRevalidating = false

    /// Releases the value of an entry that was removed by ``CacheTable/removeAll()``. Called without the lock, because
    /// no other thread uses that value. A load in progress would retain it with the entry.
    func releaseValue() { withExtendedLifetime(value.take()) {} }
  }

  /// The result of a look at an entry.
  enum Found {
    case fresh(Value)
    /// The lifetime of the value is over.
    case stale(Value, mustLoad: Bool)
    /// The client must wait for a load.
    case missing
  }

  /// Values and lists that were removed, for the caller to release.
  struct Removed {
    fileprivate var values: [Value?] = []
    fileprivate var lists: [[Entry]] = []
  }

  private let lifetime: Duration?
  private let stale: Duration
  private let limit: Int
  private var table = NumberedTable<Key, Entry>()
  // The ends of the list of the entries with a value, in the order of use.
  /// The entry with a value that was not used for longest.
  private var first: Entry?
  private var last: Entry?
  /// The number of entries with a value.
  private(set) var valueCount = 0
  private var totalCost = 0

  init(lifetime: Duration?, stale: Duration, limit: Int) {
    self.lifetime = lifetime
    self.stale = max(.zero, stale)
    self.limit = max(0, limit)
  }

  /// The number of entries for whose value clients wait. For descriptions.
  var loadingCount: Int { table.lists.values.reduce(0) { $0 + $1.count { $0.clientCount > 0 } } }

  func entries(withHash hash: Int) -> [Entry] { table.entries(withHash: hash) }

  /// Adds an entry for a client that waits, unless there are entries with its hash value and a higher number.
  ///
  /// - Returns: these entries, or `nil` if the entry was added.
  mutating func add(_ entry: Entry, unlessEntriesAfter number: Int) -> [Entry]? {
    let known = entries(withHash: entry.hash)
    if let last = known.last, last.number > number { return known }
    entry.clientCount = 1
    table.add(entry)
    return nil
  }

  /// Notes that a client uses an entry. If it must wait for a load, it is counted until it calls
  /// ``leave(_:isRevalidation:)``.
  ///
  /// - Returns: `nil` if the entry is not in the table any more.
  mutating func use(_ entry: Entry, at now: Duration) -> Found? {
    guard table.contains(entry) else { return nil }
    if let value = freshValue(of: entry, at: now) { return .fresh(value) }
    guard let value = entry.value, timeAfterEnd(of: entry, at: now) < stale else {
      entry.clientCount += 1
      return .missing
    }
    moveToEnd(entry)
    let mustLoad = !entry.isRevalidating
    if mustLoad {
      entry.isRevalidating = true
      entry.clientCount += 1
    }
    return .stale(value, mustLoad: mustLoad)
  }

  /// The value of an entry, if its lifetime is not over and the entry is in the table.
  mutating func freshValue(of entry: Entry, at now: Duration) -> Value? {
    guard table.contains(entry), let value = entry.value, lifetime == nil || timeAfterEnd(of: entry, at: now) < .zero
    else { return nil }
    moveToEnd(entry)
    return value
  }

  /// The greatest number of values that one call of ``store(_:cost:in:at:)`` removes, so that the lock is never held for
  /// long.
  private static var maxRemovals: Int { 64 }

  /// Stores a value that was loaded, unless its entry was removed meanwhile. Removes values in the order of use, as
  /// long as there is no room or the first one has expired. A value that costs more than the limit is not stored, and
  /// removes no other.
  ///
  /// - Returns: also whether the caller must release what was removed, and call this again.
  mutating func store(
    _ value: Value, cost: Int, in entry: Entry, at now: Duration
  ) -> (removed: Removed, mustGoOn: Bool) {
    var removed = Removed()
    guard table.contains(entry) else { return (removed, false) }
    if entry.value != nil { removeValue(of: entry, into: &removed) }
    guard cost <= limit else { return (removed, false) }
    while let first, totalCost > limit - cost || timeAfterEnd(of: first, at: now) >= stale {
      if removed.values.count >= Self.maxRemovals { return (removed, true) }
      removeValue(of: first, into: &removed)
      if first.clientCount == 0 { unlist(first, into: &removed) }
    }
    entry.value = value
    entry.cost = cost
    entry.storedAt = now
    totalCost += cost
    valueCount += 1
    append(entry)
    return (removed, false)
  }

  /// Notes that a client no longer waits for a load. Removes the entry if it has no value and no client waits for one.
  mutating func leave(_ entry: Entry, isRevalidation: Bool) -> Removed {
    var removed = Removed()
    entry.clientCount -= 1
    if isRevalidation { entry.isRevalidating = false }
    guard table.contains(entry) else { return removed }
    if entry.clientCount == 0, entry.value == nil { unlist(entry, into: &removed) }
    return removed
  }

  /// Removes an entry, even if clients wait for its value.
  mutating func remove(_ entry: Entry) -> Removed {
    var removed = Removed()
    guard table.contains(entry) else { return removed }
    if entry.value != nil { removeValue(of: entry, into: &removed) }
    unlist(entry, into: &removed)
    return removed
  }

  /// Removes all entries, and returns them. The caller calls ``Entry/releaseValue()`` for each, outside the lock.
  ///
  /// - Complexity: O(1).
  mutating func removeAll() -> [Int: [Entry]] {
    first = nil
    last = nil
    valueCount = 0
    totalCost = 0
    return table.removeAll()
  }

  /// The time that has passed since the end of the lifetime of the entry's value. It is negative before the end.
  private func timeAfterEnd(of entry: Entry, at now: Duration) -> Duration {
    guard let lifetime else { return Duration(attoseconds: .min) }
    return max(.zero, now.subtractingSaturating(entry.storedAt)).subtractingSaturating(lifetime)
  }

  private mutating func moveToEnd(_ entry: Entry) {
    guard entry !== last else { return }
    unlink(entry)
    append(entry)
  }

  private mutating func append(_ entry: Entry) {
    entry.previous = last
    entry.next = nil
    if let last { last.next = entry } else { first = entry }
    last = entry
  }

  private mutating func unlink(_ entry: Entry) {
    if let previous = entry.previous { previous.next = entry.next } else { first = entry.next }
    if let next = entry.next { next.previous = entry.previous } else { last = entry.previous }
  }

  private mutating func removeValue(of entry: Entry, into removed: inout Removed) {
    removed.values.append(entry.value.take())
    unlink(entry)
    valueCount -= 1
    totalCost -= entry.cost
  }

  private mutating func unlist(_ entry: Entry, into removed: inout Removed) {
    if let list = table.remove(entry) { removed.lists.append(list) }
  }
}
