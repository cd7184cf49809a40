/// The owner of a promise: the only one that can fulfil or reject it.
///
/// Keep the deferred to yourself and hand out its ``promise``:
///
/// ```swift
/// func load() -> Promise<Data> {
///   let deferred = Deferred<Data>()
///   startLoading { data in deferred.fulfill(data) }
///   return deferred.promise
/// }
/// ```
///
/// Every method that settles answers whether it did: the first wins, and a later one changes nothing and answers `false`
/// (Promises/A+ 2.1; rule 1.3). All of them may be called from any thread; none of them runs a handler.
///
/// If the last reference to the deferred goes while its promise is pending and follows no other, the promise is rejected
/// with ``PromiseError/broken(createdAt:)``, which names the place where the deferred was made (rule 6.2).
public final class Deferred<Value: Sendable>: Sendable {
  /// What to hand out: read-only, and good for any number of clients.
  @inlinable public var promise: Promise<Value> { Promise<Value>.downcast(source.forClients) }

  /// What the owner settles. Clients get it too, unless the owner observes them.
  @usableFromInline let source: Promise<Value>

  /// An owner with a pending promise (reference row B1).
  @inlinable
  public convenience init(fileID: StaticString = #fileID, line: UInt = #line) {
    self.init(of: Promise(pendingAt: Site(fileID, line)))
  }

  /// Creates an owner whose promise is cancelled when no client wants its outcome any more.
  ///
  /// That is so when the last reference to ``promise`` has been released and the promise has no consumer. A link or
  /// observer that has not run, and a waiter, are consumers; `onRejected` and `onProgress` are not (rule 4.0). The owner's
  /// ``onCancel(_:)`` hooks run, and what the promise follows is given up (rule 4.6).
  ///
  /// The deferred does not retain what ``promise`` returns. Before its first use, nothing is cancelled. With `false` the owner is an
  /// ordinary one, as from ``init(fileID:line:)``.
  ///
  /// - Complexity: O(1). The first use of ``promise`` allocates a second promise and a side table.
  public convenience init(
    cancelWhenUnobserved: Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(of: Promise(pendingAt: Site(fileID, line)))
    if cancelWhenUnobserved { source.beginObservingClients() }
  }

  /// An owner whose promise has the given creation site.
  package convenience init(at site: CreationSite) { self.init(of: Promise(pendingAt: site.site)) }

  @usableFromInline
  init(of promise: Promise<Value>) { source = promise }

  deinit { if source.isUnclaimed { source.breakUnlessFollowing() } }
}

extension AnyPromise {
  /// The owner is gone.
  fileprivate final func breakUnlessFollowing() {
    if !isFollowing { DeferredSettlements.reject(self, with: .broken(createdAt: CreationSite(site))) }
  }
}

// MARK: - Settling

extension Deferred {
  /// Fulfils the promise. Its handlers are scheduled, none runs inside this call.
  ///
  /// - Returns: `false` if the promise was settled before: nothing changes then, and ``Diagnostics`` hears of it (rule 1.3).
  /// - Complexity: O(*n*), where *n* is the number of handlers and of promises that the value passes through.
  @inlinable @discardableResult @Sendable
  public func fulfill(_ value: Value) -> Bool {
    guard source.claim(fulfilling: value) else { return source.refuse() }
    source.settleAsOwner()
    return true
  }

  /// Rejects the promise. A `CancellationError` marks it cancelled (rule 1.2).
  ///
  /// - Parameters:
  ///   - error: why there is no value.
  ///   - fileID: where this is called, for ``RejectionTrail/rejectedAt``.
  ///   - line: the line there.
  /// - Returns: `false` if the promise was settled before: nothing changes then, and ``Diagnostics`` hears of it (rule 1.3).
  @discardableResult
  public func reject(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    reject(error, at: Site(fileID, line))
  }

  /// As ``reject(_:fileID:line:)``, for where a function is wanted: `api(failure: deferred.reject)`. A value is passed by
  /// ``resolve(_:)-(Value)``.
  @_disfavoredOverload @Sendable
  public func reject(_ error: any Error) { reject(error, at: nil) }

  /// - Parameter site: where the owner called; `nil`: it is not known.
  @usableFromInline @discardableResult
  func reject(_ error: any Error, at site: Site?) -> Bool {
    guard source.claim(rejecting: error) else { return source.refuse(error) }
    source.beginTrail(at: site)
    source.settleAsOwner()
    return true
  }

  /// Fulfils or rejects the promise.
  ///
  /// - Returns: `false` if the promise was settled before: nothing changes then, and ``Diagnostics`` hears of it (rule 1.3).
  @discardableResult
  public func settle(
    _ result: Result<Value, any Error>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error, fileID: fileID, line: line)
    }
  }

  /// Makes the promise become what another becomes, with its value, its error and its cancelled mark, and without a hop
  /// (rule 3.1).
  ///
  /// If several promises are followed, the first to settle wins and the others are left alone (rule 3.4); the owner may
  /// still settle the promise itself. To follow a promise that waits for this one rejects with
  /// ``PromiseError/cycle(createdAt:)`` (rule 3.2).
  ///
  /// If this promise is cancelled, in either form, what it follows is given up: cancelled, unless it has another consumer (rule 4.4). If
  /// the other promise is cancelled, this one is rejected with its reason and the mark, and links may recover from that (rule 3.1).
  ///
  /// - Returns: `false` if the promise was settled before: nothing changes then, and ``Diagnostics`` hears of it (rule 1.3), but the
  ///   other promise is given up if this one had been cancelled.
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises that the other waits for, directly or not, and *m* the number of those
  ///   that wait for this promise: each of them might close a ring. O(*n*) if a combinator waits for this promise. O(1) if nothing was
  ///   ever attached to this promise, or if the other waits for no more than a handler that can run, as the step of a loop
  ///   does. If the other is settled, that of ``fulfill(_:)``.
  @inlinable @discardableResult @Sendable
  public func follow(_ other: Promise<Value>) -> Bool {
    source.follow(other, copyingBy: Promise<Value>.copy) || source.refuse(outcomeOf: other)
  }
}

extension Deferred where Value == Void {
  /// Fulfils the promise.
  ///
  /// - Returns: `false` if the promise was settled before: nothing changes then, and ``Diagnostics`` hears of it (rule 1.3).
  @inlinable @discardableResult @Sendable
  public func fulfill() -> Bool { fulfill(()) }
}

extension AnyPromise {
  /// The owner has claimed and written the payload itself: the promise stops following others, and is published.
  @usableFromInline
  final func settleAsOwner() {
    // Sequentially consistent, after the claim: whoever makes this promise follow another at this moment sees the claim.
    if isFollowing {
      endProgress()
      leaveAdopted()
    }
    publish()
  }
}
