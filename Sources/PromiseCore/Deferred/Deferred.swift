/// The owner of a promise, and the only object that can fulfil it.
///
/// Keep the deferred private and hand out its ``promise``:
///
/// ```swift
/// func load() -> Promise<Data> {
///   let deferred = Deferred<Data>()
///   startLoading { data in deferred.fulfill(data) }
///   return deferred.promise
/// }
/// ```
///
/// Every method that settles the promise returns whether it did. The first call wins. A later call changes nothing and
/// returns `false` (Promises/A+ 2.1; rule 1.3). The methods may be called from any thread. None of them runs a handler
/// or a hook of an owner, and neither does the release of the deferred (rule 2.1). So an owner may call them while it
/// holds a lock that its own hooks take. The last reference to an object may be released there, so a `deinit` may run.
///
/// If the last reference to the deferred is released while its promise is pending and follows no other promise, the
/// promise is rejected with ``PromiseError/broken(createdAt:)``, which names the place where the deferred was made
/// (rule 6.2).
///
/// Combine has a type of this name, too. A file that imports both modules calls ``Promise/deferred(fileID:line:)``, and
/// writes `PromiseCore.Deferred` for the type.
public final class Deferred<Value: Sendable>: Sendable {
  /// The promise for any number of clients.
  @_alwaysEmitIntoClient public var promise: Promise<Value> { Promise<Value>.downcast(source.forClients) }

  /// The promise that the owner settles. Clients get this promise too, unless the owner observes its clients.
  @usableFromInline let source: Promise<Value>

  /// Creates an owner with a pending promise.
  @_alwaysEmitIntoClient
  public convenience init(fileID: StaticString = #fileID, line: UInt = #line) {
    self.init(of: Promise(pendingAt: Site(fileID, line)))
  }

  /// Creates an owner whose promise is cancelled when no client is left.
  ///
  /// The promise is cancelled when the last reference to ``promise`` has been released and the promise has no consumer.
  /// A link or observer that has not run, and a waiter, are consumers. `onRejected`, `onFailed`, `onProgress` and
  /// `progressUpdates` are not (rule 4.0). The cancellation gives up what the promise follows (rule 4.6). The hooks of
  /// ``onCancel(_:)`` run on the pool, and not inside the release (rule 4.5).
  ///
  /// The deferred does not retain the promise that ``promise`` returns. Nothing is cancelled before ``promise`` is
  /// first read. With `false`, this creates an ordinary owner, as ``init(fileID:line:)`` does.
  ///
  /// - Complexity: O(1). The first read of ``promise`` allocates a second promise and a side table.
  public convenience init(
    cancelsWithoutClients: Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(of: Promise(pendingAt: Site(fileID, line)))
    if cancelsWithoutClients { source.beginObservingClients() }
  }

  /// Creates an owner whose promise has a label (``Promise/labeled(_:)``).
  ///
  /// - Parameters:
  ///   - label: names what the promise stands for.
  ///   - cancelsWithoutClients: see ``init(cancelsWithoutClients:fileID:line:)``.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public convenience init(
    label: String, cancelsWithoutClients: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(cancelsWithoutClients: cancelsWithoutClients, fileID: fileID, line: line)
    source.setLabel(label)
  }

  /// Creates an owner whose promise has the given creation site.
  package convenience init(at site: CreationSite) { self.init(of: Promise(pendingAt: site.site)) }

  @usableFromInline
  init(of promise: Promise<Value>) { source = promise }

  deinit { if source.isPending { source.breakUnlessFollowing() } }
}

extension AnyPromise {
  /// Rejects the promise of an owner that is being deallocated, unless the promise follows another.
  fileprivate final func breakUnlessFollowing() {
    if !isFollowing { UnnestedWork.reject(self, with: .broken(createdAt: CreationSite(site))) }
  }
}

// MARK: - Settling

extension Deferred {
  /// Fulfils the promise and schedules its handlers. No handler runs inside this call.
  ///
  /// - Returns: `false` if the promise was settled before. Then nothing changes, and the second-settlement hook of
  ///   ``Diagnostics`` is called (rule 1.3).
  /// - Complexity: O(*n*), where *n* is the number of handlers and of promises that the value passes through.
  @_alwaysEmitIntoClient @discardableResult @Sendable
  public func fulfill(_ value: Value) -> Bool {
    source.fulfillAsOwner(Promise<Value>.payload(of: value)) || source.reportSecondSettlement()
  }

  /// Rejects the promise and schedules its handlers. A `CancellationError` sets the cancelled mark (rule 1.2).
  ///
  /// - Parameters:
  ///   - error: the reason why there is no value.
  ///   - fileID: the file of the call, for ``RejectionTrail/rejectedAt``.
  ///   - line: the line of the call.
  /// - Returns: `false` if the promise was settled before. Then nothing changes, and the second-settlement hook of
  ///   ``Diagnostics`` is called (rule 1.3).
  @discardableResult
  public func reject(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    reject(error, at: Site(fileID, line))
  }

  /// Rejects the promise as ``reject(_:fileID:line:)`` does, in a form that can be passed as a function:
  /// `api(failure: deferred.reject)`. For a value, pass ``resolve(_:)-(Value)``.
  @_disfavoredOverload @Sendable
  public func reject(_ error: any Error) { reject(error, at: nil) }

  /// Rejects the promise.
  ///
  /// - Parameter site: the place where the owner called, or `nil` if it is not known.
  @usableFromInline @discardableResult
  func reject(_ error: any Error, at site: Site?) -> Bool {
    source.rejectAsOwner(error, at: site) || source.reportSecondSettlement(error)
  }

  /// Settles the promise with a result, as ``fulfill(_:)`` or ``reject(_:fileID:line:)`` does.
  ///
  /// - Returns: `false` if the promise was settled before. Then nothing changes, and the second-settlement hook of
  ///   ``Diagnostics`` is called (rule 1.3).
  @discardableResult
  public func settle(
    _ result: Result<Value, any Error>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error, fileID: fileID, line: line)
    }
  }

  /// Makes the promise settle as another promise does, with its value or its error and cancelled mark, and without a
  /// hop (rule 3.1).
  ///
  /// The owner may follow several promises, and may still settle the promise itself. The first outcome wins, and the
  /// other followed promises are left alone (rule 3.4). Following a promise that waits for this promise rejects it with
  /// ``PromiseError/cycle(createdAt:ring:)`` (rule 3.2).
  ///
  /// If this promise is cancelled, with or without `upstream: true`, it gives up the followed promise. That promise is
  /// cancelled unless it has another consumer (rule 4.4). If the followed promise is cancelled, this promise is
  /// rejected with the same reason and the cancelled mark, and its links may recover from that (rule 3.1).
  ///
  /// - Returns: `false` if the promise was settled before. Then nothing changes, and the second-settlement hook of
  ///   ``Diagnostics`` is called (rule 1.3). If the promise had been cancelled, the other promise is given up. With
  ///   `true`, another thread may still settle the promise first (rule 3.4).
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises that the other promise waits for, directly or
  ///   not, and *m* the number of promises that wait for this promise. These promises are searched for a ring. O(*n*) if
  ///   something waits for the finish of one of the latter, such as a gate or `whenFinished()`. O(1) if nothing was ever attached to this promise, or if the other promise waits only for a handler that can run, as in a
  ///   recursive loop. If the other promise is settled, as ``fulfill(_:)``.
  @_alwaysEmitIntoClient @discardableResult @Sendable
  public func follow(_ other: Promise<Value>) -> Bool { source.followAsOwner(other) }
}

extension Deferred where Value == Void {
  /// Fulfils the promise and schedules its handlers. No handler runs inside this call.
  ///
  /// - Returns: `false` if the promise was settled before. Then nothing changes, and the second-settlement hook of
  ///   ``Diagnostics`` is called (rule 1.3).
  @_alwaysEmitIntoClient @discardableResult @Sendable
  public func fulfill() -> Bool { fulfill(()) }
}

extension Deferred: CustomDebugStringConvertible {
  /// Describes the owner and its promise, with the promises that wait for it, as ``AnyPromise/debugDescription`` does.
  public var debugDescription: String { "Deferred of \(source.debugDescription)" }
}
