/// Cancels the promises that were put into it when it goes, or when it is told to.
///
/// An object that starts work for its own sake keeps a bag, and binds the promises to it:
///
/// ```swift
/// final class Screen: CancelBagOwner {
///   let cancelBag = CancelBag()
///
///   func refresh() {
///     load().bound(to: self).onFulfilled(on: context) { [weak self] page in self?.show(page) }
///   }
/// }
/// ```
///
/// A promise leaves the bag when it is settled, so a bag does not grow.
public final class CancelBag: Sendable {
  private let bound = Bound()

  public init() {}

  deinit { cancelAll() }

  /// Cancels what is in the bag, as ``AnyPromise/cancel(reason:)`` does, and empties it. The bag may be used again.
  ///
  /// - Complexity: as that of the cancellations.
  public func cancelAll(reason: any Error = CancellationError()) {
    Cancellation(of: bound.takeAll(), reason: reason).run()
  }

  fileprivate func add(_ promise: AnyPromise) {
    bound.insert(promise)
    // The observer must not keep the bag.
    promise.observe(on: nil, handling: [.value, .error, .bystander]) { [bound, key = ObjectIdentifier(promise)] _, _ in
      bound.remove(key)
      return .nothing
    }
  }

  /// The promises of one bag.
  private final class Bound: @unchecked Sendable {
    // `@unchecked`: touched under the lock only. Promises are released outside.
    private var promises: [ObjectIdentifier: AnyPromise] = [:]
    private let lock = SpinLock()

    func insert(_ promise: AnyPromise) {
      _ = lock.locked { promises.updateValue(promise, forKey: ObjectIdentifier(promise)) }
    }

    func remove(_ key: ObjectIdentifier) { _ = lock.locked { promises.removeValue(forKey: key) } }

    func takeAll() -> [AnyPromise] {
      let all = lock.locked {
        defer { promises = [:] }
        return promises
      }
      return Array(all.values)
    }
  }
}

/// An object that has a ``CancelBag``, to which promises can be bound.
public protocol CancelBagOwner: AnyObject {
  /// Made with the object and kept by nobody else, so that it goes with it.
  var cancelBag: CancelBag { get }
}

extension Promise {
  /// Cancels this promise when the object goes, if it is still pending then.
  ///
  /// Swift tells nobody when an object goes, so the object needs a ``CancelBag`` of its own.
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to object: some CancelBagOwner) -> Promise { bound(to: object.cancelBag) }

  /// Cancels this promise when the bag goes, or is told to, if it is still pending then.
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to bag: CancelBag) -> Promise {
    if isPending { bag.add(self) }
    return self
  }
}
