public import PromiseContexts
public import PromiseCore

/// Shares one operation among all callers that request the same key at the same time.
///
/// While the promise for a key is pending, all callers that request that key get its outcome.
///
/// ```swift
/// let loads = SingleFlight<URL, Image>()
/// @Sendable func image(at url: URL) -> Promise<Image> { loads.run(url) { server.picture(url) } }
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
///   next caller starts a new operation, even if the promise is still pending.
/// - Progress: the progress of the closure's promise.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // `@unchecked` is correct because the variables are used under the lock only. Under the lock nothing is released and
  // no user code runs. Keys are therefore compared outside it (rule 6.5).
  private let lock = ShortLock()
  /// The operations that are in progress, by the hash value of their keys.
  private var flights: [Int: [Flight]] = [:]
  /// Incremented with every change of `flights`.
  private var version = 0

  /// Creates an empty instance.
  public init() {}

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
    _ key: Key, on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let site = CreationSite(fileID: fileID, line: line)
    // If an operation is in progress, no new flight need be allocated.
    if let flight = join(key) { return outcome(of: flight, fileID, line) }
    let start = Promise<Void>(pendingAt: site)
    let new = Flight(for: key, start.thenOwned(on: context, at: site, body))
    let flight = join(new)
    let result = outcome(of: flight, fileID, line)
    if flight === new {
      new.promise.whenSettled { [self] in removeSettled(new) }
      start.fulfillIfPending(())
    } else {
      // Another thread has started a flight for the key meanwhile. The new one is not in the table, so no caller can
      // join it.
      new.promise.cancel()
    }
    return result
  }

  /// Returns a promise for the outcome of the operation that is in progress for the key. If there is none, the async
  /// closure starts one.
  ///
  /// Differs from ``run(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)`` in that the closure runs in a Task of its
  /// own, so it needs no context. The Task inherits the task-local values of the caller that starts it. Both methods
  /// share the operations in progress.
  ///
  /// When the last client has given up, the Task is cancelled, and the next caller starts a new operation at once
  /// (rule 4.6). A closure that ignores the cancellation of its Task may then still run beside the new one. Its value
  /// or error is discarded.
  ///
  /// - Parameters:
  ///   - key: identifies the operation.
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value. If it throws, the result is rejected with that error.
  /// - Complexity: O(1), and a Task if an operation is started.
  public func asyncRun(
    _ key: Key, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    // No user code runs in this context, which only creates the Task.
    run(key, on: InlineContext.shared, fileID: fileID, line: line) {
      .task(priority: priority, fileID: fileID, line: line) { try await body() }
    }
  }

  /// Returns the result for one consumer of the flight.
  private func outcome(of flight: Flight, _ fileID: StaticString, _ line: UInt) -> Promise<Value> {
    // The shield limits an upstream cancellation to this result, so the operation continues for the other consumers.
    let result = flight.promise.shielded(fileID: fileID, line: line)
    result.giveUpWhenSettled { [self] in leave(flight) }
    return result
  }
}

// MARK: - Flights

extension SingleFlight {
  /// An operation in progress.
  private final class Flight: @unchecked Sendable {
    let key: Key
    let hash: Int
    let promise: Promise<Value>
    // `@unchecked` is correct because `consumerCount` is used under the lock of the `SingleFlight` only.
    /// The number of results that are still wanted.
    var consumerCount = 1

    init(for key: Key, _ promise: Promise<Value>) {
      self.key = key
      self.promise = promise
      hash = key.hashValue
    }
  }

  /// Adds a consumer to the flight of the new flight's key. If there is none, `new` becomes the flight of that key.
  private func join(_ new: Flight) -> Flight { join(new.key, new.hash, or: new) ?? new }

  /// Adds a consumer to the flight of a key. Returns `nil` if there is none.
  private func join(_ key: Key) -> Flight? { join(key, key.hashValue, or: nil) }

  private func join(_ key: Key, _ hash: Int, or new: Flight?) -> Flight? {
    while true {
      let (candidates, seenVersion) = lock.locked { (flights[hash] ?? [], version) }
      // A settled flight does not count, because another thread is about to remove it.
      let existing = candidates.first { $0.key == key && $0.promise.isPending }
      guard let joined = existing ?? new else { return nil }
      let isCurrent = lock.locked {
        guard version == seenVersion else { return false }
        if existing != nil {
          joined.consumerCount += 1
        } else {
          flights[hash] = candidates + [joined]
          version += 1
        }
        return true
      }
      if isCurrent { return joined }
    }
  }

  /// Removes a consumer, whose result is settled.
  ///
  /// When the last consumer leaves, the flight is removed in the same critical section. Otherwise a caller could join
  /// it after that, and would be cancelled with it.
  ///
  /// - Returns: the promise to give up, if no consumer is left and the flight was still in the table.
  private func leave(_ flight: Flight) -> AnyPromise? {
    let removed = lock.locked {
      flight.consumerCount -= 1
      return flight.consumerCount == 0 ? remove(flight) : nil
    }
    return removed == nil ? nil : flight.promise
  }

  private func removeSettled(_ flight: Flight) {
    let removed = lock.locked { remove(flight) }
    withExtendedLifetime(removed) {}
  }

  /// Removes the flight from the table. Call under the lock.
  ///
  /// - Returns: the previous list of flights, to be released outside the lock; `nil` if the flight was removed before.
  private func remove(_ flight: Flight) -> [Flight]? {
    let oldFlights = flights[flight.hash] ?? []
    let newFlights = oldFlights.filter { $0 !== flight }
    guard newFlights.count < oldFlights.count else { return nil }
    flights[flight.hash] = newFlights.isEmpty ? nil : newFlights
    version += 1
    return oldFlights
  }
}
