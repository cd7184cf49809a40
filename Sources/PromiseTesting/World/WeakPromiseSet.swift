import PromiseCore

/// A set of promises that does not retain them.
struct WeakPromiseSet {
  private struct WeakPromise {
    weak var promise: AnyPromise?
  }

  private var members: [ObjectIdentifier: WeakPromise] = [:]
  private var limit = 64

  /// Inserts a promise. Removes deallocated promises regularly, so that the size of the set stays proportional to the
  /// living ones.
  ///
  /// - Returns: promises that the caller must release outside its lock, because these may be the last references.
  mutating func insert(_ promise: AnyPromise) -> [AnyPromise] {
    defer { members[ObjectIdentifier(promise)] = WeakPromise(promise: promise) }
    if members.count < limit { return [] }
    let living = living
    members = Dictionary(uniqueKeysWithValues: living.map { (ObjectIdentifier($0), WeakPromise(promise: $0)) })
    limit = max(64, 2 * members.count)
    return living
  }

  /// The promises that live, in no order.
  private var living: [AnyPromise] { members.values.compactMap(\.promise) }

  /// Whether the set has the promise, which the caller retains.
  func contains(_ promise: AnyPromise) -> Bool { members[ObjectIdentifier(promise)]?.promise === promise }
}
