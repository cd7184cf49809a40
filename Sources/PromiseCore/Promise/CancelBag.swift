/// Cancels its promises when it is deallocated or told to, and stops the work behind them.
///
/// An object that starts work for its own purposes owns a bag, and binds the promises to it:
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
/// Each promise is cancelled with `upstream: true` (rule 4.6). Bind the promises that you have derived, not those that
/// you share with others. A promise in a bag is cancelled even if it has other consumers. Its source is cancelled only
/// if no other consumer wants that.
///
/// A promise leaves the bag when it is settled and its observers have run, so a bag does not grow. Until then the bag
/// takes back handlers of `onFulfilled`, `onFailed` and `onProgress` that are queued on their contexts (rule 2.5).
///
/// A closed bag is that of an object that has ended. It cancels each promise that is bound to it later
/// (``close(reason:)``).
///
/// When a bag is deallocated, its promises are cancelled before that returns. If the deallocation is itself an effect
/// of the deallocation of another bag, or of an owner, the promises are cancelled once the effects of that one have
/// been completed. So a chain of such bags does not overflow the stack, however long it is. To know when the promises
/// are cancelled, call ``cancelAll(reason:)``.
public final class CancelBag: Sendable {
  private let bound = Bound()

  /// Creates an empty bag.
  public init() {}

  deinit { UnnestedWork.cancel(bound.takeAll()) }

  /// Cancels the promises in the bag with `upstream: true`, and empties the bag. The bag may be used again. To end it
  /// for good, call ``close(reason:)``. The promises are cancelled in the order in which they were bound, each with what
  /// is below it. Handlers and hooks run in that order, too.
  ///
  /// - Parameter reason: see ``AnyPromise/cancel(reason:upstream:)``.
  /// - Complexity: O(*n* log *n*), where *n* is the number of promises in the bag, and the cost of their cancellation.
  public func cancelAll(reason: any Error = CancellationError()) { Self.giveUp(bound.takeAll(), because: reason) }

  /// Cancels the promises in the bag, and from now on each promise that is bound to the bag, with `upstream: true`.
  ///
  /// Call it when the object has ended to which the promises belong, but other code may still start work for it, such
  /// as a handler that has begun:
  ///
  /// ```swift
  /// session.cancelBag.close(reason: SignedOut())
  /// upload(draft).bound(to: session)  // is cancelled at once, and the upload stops
  /// ```
  ///
  /// A promise that is bound later is cancelled inside the call of `bound(to:)`, which runs the hooks of its owner as
  /// ``AnyPromise/cancel(reason:upstream:)`` does (rule 4.5). A settled promise stays as it is, and what is below it
  /// goes on. ``whenFinished(fileID:line:)`` waits for promises that were bound later, too.
  ///
  /// If two threads call this and ``Promise/bound(to:)-(CancelBag)`` at the same time, the promise is cancelled by one
  /// of the two calls. A bag stays closed. A second call of `close` has no effect.
  ///
  /// - Parameter reason: the error with which all these promises are rejected (rule 1.2). The bag keeps it.
  /// - Complexity: that of ``cancelAll(reason:)``.
  public func close(reason: any Error = CancellationError()) {
    Self.giveUp(bound.close(because: reason), because: reason)
  }

  /// Whether the bag cancels each promise that is bound to it, because ``close(reason:)`` was called.
  ///
  /// - Complexity: O(1).
  public var isClosed: Bool { bound.closingReason != nil }

  /// Cancels the promises with `upstream: true`. It is not called `cancel`, which the compiler would then name to
  /// clients that call `cancel` of a bag.
  private static func giveUp(_ promises: [AnyPromise], because reason: any Error) {
    var cancellation = Cancellation(because: reason, hooksRun: .cancellingThread)
    for promise in promises { cancellation.add(promise, upstream: true) }
    cancellation.run()
  }

  /// Returns a promise that is fulfilled when each promise that was bound before this call has finished.
  ///
  /// ```swift
  /// bag.cancelAll()
  /// try await bag.whenFinished().value
  /// ```
  ///
  /// ``AnyPromise/whenFinished(fileID:line:)`` says what is waited for. It does not matter how a promise was settled,
  /// or will be: by the bag, by its owner, or by another client. A promise that is bound later does not count, nor does
  /// one that was settled when it was bound. Without a call of ``cancelAll(reason:)``, this waits for what is pending, and
  /// stops nothing.
  ///
  /// The returned promise is rejected, with `broken`, only if what a promise waits for is lost. It is no consumer of the promises in the bag (rule 4.0), does not handle
  /// their rejections (rule 7.1), and retains neither them nor the bag. Cancelling it stops nothing. If all have
  /// finished, it is fulfilled before the call returns.
  ///
  /// - Parameters:
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*), where *n* is the number of promises that have not finished.
  public func whenFinished(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    let deferred = Deferred<Void>(fileID: fileID, line: line)
    bound.whenFinished(deferred)
    return deferred.promise
  }

  fileprivate var promises: [AnyPromise] { bound.all }

  fileprivate func add(_ promise: AnyPromise) {
    // The observer retains the binding, and is released when the promise is settled or deallocated. The binding must
    // not retain the bag. A client promise may be released before its consumers leave, so the promise that it stands
    // for is observed.
    let binding = Binding(in: bound)
    let closingReason = bound.insert(promise.resolved, for: binding)
    promise.observe(on: nil, [.value, .error, .isNotConsumer]) { settled, _ in
      // Before the binding can be released, so that a call of `whenFinished` finds one of the two.
      if settled.unfinished != nil { binding.awaitFinish(of: settled) }
      settled.retainUntilObserversRan(binding)
      return .nothing
    }
    // The binding was made before, so `whenFinished` waits for the promise. If the bag is closed from now on, that call
    // finds the binding.
    if let closingReason { Self.giveUp([promise], because: closingReason) }
  }

  /// The promises in one bag, and the finishes of those that have left it. The promises are not retained, because a
  /// binding must not keep a promise alive (rule 4.0).
  private final class Bound: @unchecked Sendable {
    // `@unchecked Sendable`, because the fields are accessed under the lock only.
    private var bindings: [ObjectIdentifier: Weak] = [:]
    /// The finishes of settled promises, for which `whenFinished` waits.
    private var finishes: [ObjectIdentifier: Finish] = [:]
    private var countInserted = 0
    /// The reason with which the bag was closed.
    private var reason: (any Error)?
    private let lock = ShortLock()

    struct Weak {
      let number: Int
      weak var promise: AnyPromise?
      /// The bag is cancelling the promise.
      var isTaken = false
    }

    /// - Returns: the reason with which the bag was closed, or `nil` if it is open.
    func insert(_ promise: AnyPromise, for binding: Binding) -> (any Error)? {
      lock.locked {
        bindings[ObjectIdentifier(binding)] = Weak(number: countInserted, promise: promise)
        countInserted += 1
        return reason
      }
    }

    func remove(_ binding: Binding) { _ = lock.locked { bindings.removeValue(forKey: ObjectIdentifier(binding)) } }

    func insert(_ work: UnfinishedPromise) { lock.locked { finishes[ObjectIdentifier(work)] = work.finish } }

    func remove(_ work: UnfinishedPromise) { _ = lock.locked { finishes.removeValue(forKey: ObjectIdentifier(work)) } }

    /// In the order in which they were bound.
    func takeAll() -> [AnyPromise] { promises(of: lock.locked { takeBindings() }) }

    /// Closes the bag, unless it is closed.
    ///
    /// - Returns: as ``takeAll()``, or nothing if the bag was closed before.
    func close(because reason: any Error) -> [AnyPromise] {
      let all = lock.locked {
        if self.reason != nil { return [] as [Weak] }
        self.reason = reason
        return takeBindings()
      }
      return promises(of: all)
    }

    /// The reason with which the bag was closed, or `nil` if it is open.
    var closingReason: (any Error)? { lock.locked { reason } }

    /// Marks all bindings as taken. The caller holds the lock.
    private func takeBindings() -> [Weak] {
      let all = Array(bindings.values)
      var index = bindings.startIndex
      while index != bindings.endIndex {
        bindings.values[index].isTaken = true
        bindings.formIndex(after: &index)
      }
      return all
    }

    /// In the order in which they were bound.
    var all: [AnyPromise] { promises(of: lock.locked { Array(bindings.values) }) }

    private func promises(of bindings: consuming [Weak]) -> [AnyPromise] {
      bindings.sort { $0.number < $1.number }
      return bindings.compactMap { $0.isTaken ? nil : $0.promise }
    }

    /// Fulfils a promise when all promises have finished that are in the bag now, or have left it. If work is lost that
    /// never ends, the release of the deferred rejects that promise.
    func whenFinished(_ deferred: Deferred<Void>) {
      let source = deferred.source
      // Retained under the lock. A promise that is deallocated by then has left its finish behind, unless it has
      // finished.
      let (promises, finishes) = lock.locked {
        (bindings.values.compactMap { $0.promise }, Array(self.finishes.values))
      }
      // Counts them.
      let all = source.locked { Finish(of: source) }
      for finish in finishes {
        all.hold()
        if !finish.whenEnded(neededBy: source, all.release) { all.release() }
      }
      // One that has finished may still be firing its observers, the binding among them.
      let observers = promises.filter { !$0.hasFinished }.map {
        all.hold()
        return $0.whenFinished(neededBy: source, all.release)
      }
      source.detachWhenCancelled(observers)
      all.release()
      let fulfil: @Sendable () -> Void = { deferred.source.fulfillIfPending(()) }
      if !all.whenEnded(fulfil) { fulfil() }
    }
  }

  private final class Binding: RetainedObject, @unchecked Sendable {
    // `@unchecked Sendable`, because the property is constant.
    private let bound: Bound

    init(in bound: Bound) { self.bound = bound }

    deinit { bound.remove(self) }

    /// Lets `whenFinished` wait for a settled promise that has not finished.
    func awaitFinish(of promise: AnyPromise) {
      let work = UnfinishedPromise(promise, in: bound)
      promise.whenFinished { work.finish.release() }
    }
  }

  /// A settled promise that has not finished. It is released when the promise has finished, or never will.
  private final class UnfinishedPromise: Sendable {
    let finish: Finish
    private let bound: Bound

    init(_ promise: AnyPromise, in bound: Bound) {
      finish = promise.locked { Finish(of: promise) }
      self.bound = bound
      bound.insert(self)
    }

    deinit { bound.remove(self) }
  }
}

extension CancelBag: CustomDebugStringConvertible {
  /// Describes the bag and its promises, one line for each of the first hundred.
  public var debugDescription: String {
    let promises = promises
    let state = isClosed ? "CancelBag, closed" : "CancelBag"
    let lines = promises.prefix(100).map { "  " + $0.line } + (promises.count > 100 ? ["  …"] : [])
    return (["\(state), \(promises.count) pending"] + lines).joined(separator: "\n")
  }
}

/// An object that has a ``CancelBag``, to which promises can be bound.
public protocol CancelBagOwner: AnyObject {
  /// The bag. Create it with the object, and do not let other objects retain it, so that it is deallocated with the
  /// object.
  var cancelBag: CancelBag { get }
}

extension Promise {
  /// Cancels this promise with `upstream: true` when the object is deallocated, if the promise is still pending then.
  /// If the object's bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// The object needs a ``CancelBag`` of its own, because Swift has no other way to observe its deallocation.
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to object: some CancelBagOwner) -> Promise { bound(to: object.cancelBag) }

  /// Cancels this promise with `upstream: true` when the bag is deallocated or told to cancel, if the promise is still
  /// pending then. If the bag is closed, that is at once (``/PromiseCore/CancelBag/close(reason:)``).
  ///
  /// - Returns: this promise. The binding does not count as a consumer (rule 4.0).
  /// - Complexity: O(1).
  @discardableResult
  public func bound(to bag: CancelBag) -> Promise {
    if isPending { bag.add(self) }
    return self
  }
}
