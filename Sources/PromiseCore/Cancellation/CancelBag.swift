/// Cancels the promises that were put into it when it goes, or when it is told to, and stops the work behind them.
///
/// An object that starts work for its own sake keeps a bag, and binds the promises to it:
///
/// ```swift
/// final class Screen: CancelBagOwner, Sendable {
///   let cancelBag = CancelBag()
///
///   func refresh() {
///     load().bound(to: self).onFulfilled(on: context) { [weak self] page in self?.show(page) }
///   }
/// }
/// ```
///
/// Each is cancelled with `upstream: true` (rule 4.6). Bind what you have derived, and not what others share: a promise that is in a bag is
/// cancelled whoever else waits for it; what it was made from, only if nobody else wants that.
///
/// A promise leaves the bag when it is settled, so a bag does not grow.
///
/// What is in a bag that goes is cancelled before the bag has gone. Not where it goes because of another bag, or of an owner, that has
/// gone: then it is cancelled after what that one brings about, one after the other, however long a chain of these is. Whoever must
/// know that it is done calls ``cancelAll(reason:)``.
public final class CancelBag: Sendable {
  private let bound = Bound()

  /// An empty bag.
  public init() {}

  deinit { DeferredSettlements.cancel(bound.takeAll()) }

  /// Cancels what is in the bag, as ``AnyPromise/cancel(reason:upstream:)`` does upstream, and empties it. The bag may be used again.
  ///
  /// - Complexity: as that of the cancellations.
  public func cancelAll(reason: any Error = CancellationError()) {
    Cancellation(of: bound.takeAll(), reason: reason, upstream: true).run()
  }

  fileprivate func add(_ promise: AnyPromise) {
    // Goes with the observer that holds it: when the promise is settled, or is gone. It must not keep the bag.
    // The promise itself, for a client promise may be released before its consumers leave.
    let binding = Binding(of: promise.resolved, in: bound)
    promise.observe(on: nil, handling: [.value, .error, .bystander]) { _, _ in
      withExtendedLifetime(binding) {}
      return .nothing
    }
  }

  /// The promises of one bag, which does not keep them: a binding is no reason to live (rule 4.0).
  private final class Bound: @unchecked Sendable {
    // `@unchecked`: touched under the lock only.
    private var bindings: [ObjectIdentifier: Weak] = [:]
    private let lock = ShortLock()

    struct Weak {
      weak var promise: AnyPromise?
    }

    func insert(_ promise: AnyPromise, for binding: Binding) {
      lock.locked { bindings[ObjectIdentifier(binding)] = Weak(promise: promise) }
    }

    func remove(_ binding: Binding) { _ = lock.locked { bindings.removeValue(forKey: ObjectIdentifier(binding)) } }

    func takeAll() -> ShortList<AnyPromise> {
      let all = lock.locked {
        defer { bindings = [:] }
        return bindings
      }
      var promises = ShortList<AnyPromise>()
      promises.append(contentsOf: all.values.lazy.compactMap(\.promise))
      return promises
    }
  }

  private final class Binding: Sendable {
    private let bound: Bound

    init(of promise: AnyPromise, in bound: Bound) {
      self.bound = bound
      bound.insert(promise, for: self)
    }

    deinit { bound.remove(self) }
  }
}

/// An object that has a ``CancelBag``, to which promises can be bound.
public protocol CancelBagOwner: AnyObject {
  /// Made with the object and kept by nobody else, so that it goes with it.
  var cancelBag: CancelBag { get }
}

extension Promise {
  /// Cancels this promise with `upstream: true` when the object goes, if it is still pending then.
  ///
  /// Swift tells nobody when an object goes, so the object needs a ``CancelBag`` of its own.
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to object: some CancelBagOwner) -> Promise { bound(to: object.cancelBag) }

  /// Cancels this promise with `upstream: true` when the bag goes, or is told to, if it is still pending then.
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to bag: CancelBag) -> Promise {
    if isPending { bag.add(self) }
    return self
  }
}
