import PromiseCore

/// A set of promises that does not retain them.
struct WeakPromiseSet {
  private struct Entry {
    weak var promise: AnyPromise?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var limit = 64

  /// Inserts a promise. Removes deallocated promises regularly, so that the size of the set stays proportional to the
  /// living ones.
  ///
  /// - Returns: promises that the caller must release outside its lock, because these may be the last references.
  mutating func insert(_ promise: AnyPromise) -> [AnyPromise] {
    defer { entries[ObjectIdentifier(promise)] = Entry(promise: promise) }
    if entries.count < limit { return [] }
    let living = living
    entries = Dictionary(uniqueKeysWithValues: living.map { (ObjectIdentifier($0), Entry(promise: $0)) })
    limit = max(64, 2 * entries.count)
    return living
  }

  /// The promises that live, in no order.
  private var living: [AnyPromise] { entries.values.compactMap(\.promise) }

  /// Whether the set has the promise, which the caller retains.
  func contains(_ promise: AnyPromise) -> Bool { entries[ObjectIdentifier(promise)]?.promise === promise }
}
