/// Entries by the hash values of their keys, for types that hash and compare keys outside a lock.
///
/// The table compares no keys, so it may have several entries with equal keys. A caller compares its key with the
/// entries of its hash value, adds an entry of its own, and compares its key with the entries that other threads have
/// added meanwhile. These have higher numbers.
///
/// The functions are called under a lock. Those that remove something return it, so that the caller releases it outside
/// the lock (rule 6.5).
struct NumberedTable<Key: Sendable, Entry: NumberedEntry<Key>> {
  /// The entries, by the hash values of their keys. Each list is in the order of the numbers of its entries.
  private(set) var lists: [Int: [Entry]] = [:]
  private var addedCount = 0
  /// The number of calls of ``removeAll()``, from 1.
  private var generation = 1

  /// Whether an entry is in the table.
  func contains(_ entry: Entry) -> Bool { entry.generation == generation }

  func entries(withHash hash: Int) -> [Entry] { lists[hash] ?? [] }

  /// Adds an entry.
  ///
  /// - Returns: the entries with its hash value that were added before, in their order.
  @discardableResult
  mutating func add(_ entry: Entry) -> [Entry] {
    addedCount += 1
    entry.number = addedCount
    entry.generation = generation
    let earlier = entries(withHash: entry.hash)
    lists[entry.hash] = earlier + [entry]
    return earlier
  }

  /// Removes an entry.
  ///
  /// - Returns: the list in which it was. `nil` if it was removed before.
  mutating func remove(_ entry: Entry) -> [Entry]? {
    guard contains(entry) else { return nil }
    entry.generation = 0
    let old = entries(withHash: entry.hash)
    let new = old.filter { $0 !== entry }
    lists[entry.hash] = new.isEmpty ? nil : new
    return old
  }

  /// Removes all entries, and returns the lists in which they were.
  ///
  /// - Complexity: O(1).
  mutating func removeAll() -> [Int: [Entry]] {
    generation += 1
    defer { lists = [:] }
    return lists
  }
}

/// An entry of a ``NumberedTable``.
///
/// `@unchecked Sendable`, because the variables are used under the lock of the table. The number is also read outside it,
/// but does not change any more when other threads know the entry.
class NumberedEntry<Key: Sendable>: @unchecked Sendable {
  final let key: Key
  final let hash: Int
  /// The position in the order in which entries were added, from 1.
  fileprivate(set) final var number = 0
  /// Equal to that of the table while the entry is in it.
  fileprivate final var generation = 0

  init(_ key: Key, _ hash: Int) {
    self.key = key
    self.hash = hash
  }
}
