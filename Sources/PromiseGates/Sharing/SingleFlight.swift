public import PromiseContexts
public import PromiseCore

/// Shares one operation among all callers that request the same key at the same time.
///
/// While the promise for a key is pending, all callers that request that key get its outcome.
///
/// ```swift
/// let loads = SingleFlight<URL, Image>()
/// @Sendable func image(at url: URL) -> Promise<Image> { loads.run(for: url) { server.picture(url) } }
/// ```
///
/// It is not a cache. When the promise is settled, whether fulfilled or rejected, the next caller starts a new
/// operation. To keep the value for later callers, store it inside the closure, in a `tap` on the promise that it
/// returns. If a caller stores the value after it has waited, another caller may start a second operation before that.
///
/// - Failure: all results are rejected with the error of the closure's promise, or with the error that the closure
///   throws.
/// - Cancelling a result removes one consumer of the operation. Releasing a result does not. When the last consumer has
///   given up, the closure's promise is given up, with everything that it waits for (rule 4.6). From that moment on the
///   next caller starts a new operation, which may run beside the end of the old one. With `until: .finished`, it starts
///   when the old one has finished (rule 2.11). So a cleanup of the old one must not wait for the new one. If it does,
///   it fails with ``/PromiseCore/PromiseError/cycle(createdAt:ring:)`` (rule 3.2), and perhaps the new one with it.
/// - Progress: the progress of the closure's promise.
/// - Keys: a call hashes its key once, and compares it only with keys of equal hash values that were there before, with
///   each of them once. So expensive keys of other callers do not delay it. With `until: .finished`, a call that starts
///   an operation also compares its key with those of the operations that have not finished.
///
/// The operation runs on behalf of the caller whose closure is called. In an async closure, it sees the task-local
/// values of that caller, and the other callers share what comes of that (rule 8.3).
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. Under the lock nothing is released and
  // no user code runs. Keys are therefore hashed and compared outside it (rule 6.5).
  private let lock = ShortLock()
  /// The operations that are in progress, or about to start.
  private var flights = NumberedTable<Key, Flight>()

  private let identity: GateIdentity
  private let end: WorkEnd
  /// The operations that were begun and have not finished, by the hash value of their keys. Used if a later operation
  /// waits for that.
  private var unfinished: [Int: [Flight]] = [:]

  /// Creates an empty instance.
  ///
  /// - Parameters:
  ///   - end: how long an operation keeps the next one for its key from starting: until its promise is settled or was
  ///     given up, or until the work behind it has finished (rule 2.11).
  ///   - label: names the instance in descriptions.
  ///   - fileID: the file in which the instance is created, for descriptions.
  ///   - line: the line in that file.
  public init(
    until end: WorkEnd = .settled, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    identity = GateIdentity("SingleFlight", label, fileID, line)
    self.end = end
  }

  /// Returns a promise for the outcome of the operation that is in progress for the key. If there is none, the closure
  /// starts one.
  ///
  /// - Parameters:
  ///   - key: identifies the operation.
  ///   - context: where the closure runs, if it is called.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the operation. If it throws, the result is rejected with that error.
  /// - Complexity: O(1).
  public func run(
    for key: Key, on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let site = CreationSite(fileID: fileID, line: line)
    return takePart(in: key, on: context, at: site, body) { promise in
      // Cancelling it affects no other consumer. The engine counts the consumers, and the last that gives up stops the
      // operation.
      let result = promise.consumerShield(at: site)
      return promise.isCancelled ? nil : result
    }
  }

  /// Does what ``run(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)`` does, on behalf of a caller that is no
  /// consumer of the operation. The operation goes on without consumers. If it has had some, it is given up with the
  /// last.
  ///
  /// - Parameter settled: is called once, inside the call that settles the promise of the operation. It must run no code
  ///   of clients.
  func runInBackground(
    _ key: Key, on context: any ExecutionContext, at site: CreationSite,
    whenSettled settled: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) {
    takePart(in: key, on: context, at: site, body) { promise in
      // Without consumers, no client gets the error.
      promise.markHandledInAdvance()
      promise.whenSettled(settled)
      return ()
    }
  }

  /// Joins the flight for the key, or starts one.
  ///
  /// - Parameter attach: gets the promise of the flight, before its operation starts if it is new. If it returns `nil`,
  ///   because the other consumers have given up the flight meanwhile, the search begins anew.
  private func takePart<Result>(
    in key: Key, on context: any ExecutionContext, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> Promise<Value>, _ attach: (Promise<Value>) -> Result?
  ) -> Result {
    let hash = key.hashValue
    // The key differs from that of each flight up to this one that is in progress.
    var compared: Flight?
    while true {
      let known = lock.locked { flights.entries(withHash: hash) }
      // If an operation is in progress, no new flight need be allocated.
      if let flight = join(firstOf: known, after: compared, for: key) {
        if let result = attach(flight.promise) { return result }
        compared = flight
        continue
      }
      // A flight that a Task has given up is removed by the pool. While that is busy, each call would search through one
      // flight more.
      for flight in known where !flight.promise.isPending { removeSettled(flight) }
      let awaited = end == .finished ? EarlierOperations(of: identity) : nil
      let start = awaited.map { PlacePromise(at: site, waitingFor: $0) } ?? Promise<Void>(pendingAt: site)
      let promise = start.thenOwned(on: context, by: .singleFlight, at: site, body)
      let new = Flight(for: key, hash, promise)
      // From here on, calls with an equal key may join the new flight. So this call needs to compare its key only with
      // those of the flights that were added before, however many are added meanwhile.
      let earlier = lock.locked { flights.add(new) }
      let flight = join(firstOf: earlier, after: known.last ?? compared, for: key, insteadOf: new) ?? new
      let result = attach(flight.promise)
      if flight === new {
        begin(new, by: start, awaited)
      } else {
        // Another thread has started a flight for the key meanwhile. The new one is not in the table any more, and has
        // no consumers.
        new.promise.cancel()
      }
      if let result { return result }
      compared = flight
    }
  }

  /// Returns a promise for the outcome of the operation that is in progress for the key. If there is none, the async
  /// closure starts one.
  ///
  /// Differs from ``run(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)`` in that the closure runs in a Task of its
  /// own, so it needs no context. The Task inherits the task-local values of the caller whose closure is called. Both
  /// methods share the operations in progress.
  ///
  /// When the last client has given up, the Task is cancelled (rule 4.6). The next caller starts a new operation at
  /// once, or with `until: .finished` when the closure has returned. Otherwise a closure that ignores the
  /// cancellation of its Task may still run beside the new one. Its value or error is discarded.
  ///
  /// A closure that waits for another result with the same key waits for itself, and never returns. With `run` the
  /// result is rejected with ``/PromiseCore/PromiseError/cycle(createdAt:ring:)`` instead.
  ///
  /// - Parameters:
  ///   - key: identifies the operation.
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value. If it throws, the result is rejected with that error.
  /// - Complexity: O(1), and a Task if an operation is started. With `until: .finished`, each call makes a small one.
  public func asyncRun(
    for key: Key, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    let tracing = CapturedContext()
    let begin: @Sendable () -> Promise<Value> = {
      .task(priority: priority, fileID: fileID, line: line) { try await tracing.run(awaiting: body) }
    }
    // No user code runs in this context, which only creates the Task. It may do so later, on another thread, if the
    // operation waits for earlier ones.
    guard end == .finished else {
      return run(for: key, on: InlineContext.shared, fileID: fileID, line: line, begin)
    }
    let caller = TaskLocalValues()
    return run(for: key, on: InlineContext.shared, fileID: fileID, line: line) { caller.run(begin) }
  }

  /// - Parameter awaited: that for which `start` waits, if it waits for the finish of earlier operations.
  private func begin(_ flight: Flight, by start: Promise<Void>, _ awaited: EarlierOperations?) {
    flight.promise.whenSettled { [self] in removeSettled(flight) }
    guard let awaited else { return start.fulfillIfPending(()) }
    let known = lock.locked {
      let known = unfinished[flight.hash] ?? []
      unfinished[flight.hash] = known + [flight]
      return known
    }
    flight.promise.whenFinished { [self] in removeFinished(flight) }
    begin(start, after: known.filter { $0.key == flight.key }[...], awaited)
  }

  /// Starts an operation when earlier ones for its key have finished.
  private func begin(_ start: Promise<Void>, after earlier: ArraySlice<Flight>, _ awaited: EarlierOperations) {
    var earlier = earlier
    guard let last = earlier.popLast() else { return start.fulfillIfPending(()) }
    awaited.operation = last.promise
    start.waitsForFinish(of: last.promise)
    // An operation that goes on for long keeps nothing of starts that were given up (rule 4.9).
    last.promise.whenFinished(neededBy: start) { [self, earlier] in begin(start, after: earlier, awaited) }
  }
}

// MARK: - Flights

extension SingleFlight {
  /// An operation that is in progress, or about to start.
  ///
  /// `@unchecked Sendable`, because the variable is used under the lock of the `SingleFlight`.
  private final class Flight: NumberedEntry<Key>, @unchecked Sendable {
    let promise: Promise<Value>
    /// Whether another caller has joined the flight.
    var isJoined = false

    init(for key: Key, _ hash: Int, _ promise: Promise<Value>) {
      self.promise = promise
      super.init(key, hash)
    }
  }

  /// Joins the first of the flights that is in progress and has the key.
  ///
  /// - Parameters:
  ///   - known: the last flight with which the caller has compared the key already. Those before it are left out, too.
  ///   - new: the caller's own flight, which is removed if another one is joined.
  /// - Returns: the flight, or `nil` if there is none.
  /// - Complexity: O(*n*) comparisons of keys, where *n* is the number of flights.
  private func join(
    firstOf flights: [Flight], after known: Flight?, for key: Key, insteadOf new: Flight? = nil
  ) -> Flight? {
    let knownNumber = known?.number ?? 0
    // A settled flight does not count, because another thread is about to remove it.
    for flight in flights where flight.number > knownNumber && flight.promise.isPending && flight.key == key {
      if join(flight, insteadOf: new) { return flight }
    }
    return nil
  }

  /// Joins a flight, unless it was removed.
  ///
  /// - Parameter new: the caller's own flight, which is removed then. If another caller has joined it meanwhile, it
  ///   stays, and the other flight is not joined. That caller has found that the other flight has ended.
  private func join(_ flight: Flight, insteadOf new: Flight?) -> Bool {
    var removed: [Flight]?
    let isJoined = lock.locked {
      if let new, new.isJoined { return false }
      guard flights.contains(flight) else { return false }
      flight.isJoined = true
      if let new { removed = flights.remove(new) }
      return true
    }
    // Released outside the lock.
    return withExtendedLifetime(removed) { isJoined }
  }

  private func removeSettled(_ flight: Flight) {
    let removed = lock.locked { flights.remove(flight) }
    withExtendedLifetime(removed) {}
  }

  private func removeFinished(_ flight: Flight) {
    let old = lock.locked {
      let old = unfinished[flight.hash] ?? []
      let new = old.filter { $0 !== flight }
      unfinished[flight.hash] = new.isEmpty ? nil : new
      return old
    }
    withExtendedLifetime(old) {}
  }
}

/// The end of earlier operations for the same key, for which the start of an operation waits.
private final class EarlierOperations: AwaitedResource, @unchecked Sendable {
  private let identity: GateIdentity
  // `@unchecked Sendable`, because the variable is used under the lock only.
  private let lock = ShortLock()
  private weak var guardedOperation: AnyPromise?

  init(of identity: GateIdentity) { self.identity = identity }

  /// The operation that must finish first. `nil` if it is not known yet, or was deallocated.
  var operation: AnyPromise? {
    get { lock.locked { guardedOperation } }
    set { lock.locked { guardedOperation = newValue } }
  }

  var awaitedWork: [AnyObject] { [operation?.unfinishedWork].compactMap(\.self) }

  var maker: Operation { .singleFlight }

  func name(for promise: AnyPromise) -> String {
    "the finish of earlier operations for the same key of the \(identity.text) made at \(identity.createdAt)"
  }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    WaitNode(
      .gate, operation: identity.type, createdAt: identity.createdAt, label: identity.label, summary: name(for: promise)
    )
  }
}

extension SingleFlight: CustomDebugStringConvertible {
  /// Describes the instance in one line: its label, the number of operations in progress, and its creation site.
  public var debugDescription: String {
    let count = lock.locked { flights.lists.values.reduce(0) { $0 + $1.count } }
    return "\(identity.text), \(count) in progress, made at \(identity.createdAt)"
  }
}
