public import PromiseContexts
public import PromiseCore

/// Keeps values for a while, and loads each of them once for all callers that request it at the same time.
///
/// ```swift
/// let images = ValueCache<URL, Image>(lifetime: .seconds(600), limit: 200)
/// @Sendable func image(at url: URL) -> Promise<Image> { images.value(for: url) { server.picture(url) } }
/// ```
///
/// A value that is kept is returned at once, and the closure is not called. Otherwise the closure loads a value.
/// Callers that request the same key meanwhile share the load, as with ``SingleFlight``.
///
/// - Lifetime: a value is kept for `lifetime`, measured from the moment in which it was loaded. For a time after that,
///   `staleWhileRevalidating`, it is still returned at once, and the first caller's closure loads a new value. If that
///   load fails, its error is discarded, the old value remains, and the next caller tries again. Callers that come when
///   this time is over share the load if it is still in progress.
/// - Limit: if the costs of all values exceed `limit`, the values that were not used for longest are removed. By
///   default, each value costs 1. A value that alone costs more than `limit` is not kept, and the former value of its key
///   is removed.
/// - Failure: all callers of a load are rejected with the error of the closure's promise, or with the error that the
///   closure throws. Errors are not kept, so the next caller loads again.
/// - Cancelling a result affects no other caller. When the last caller of a load has given up, the closure's promise is
///   given up, with everything that it waits for, and the next caller begins anew (rule 4.6). The new load may run
///   beside the end of the old one. If that must not be, let the closure call a `SingleFlight(until: .finished)`. A
///   caller that gets a stale value does not wait for the load that replaces it, so that load goes on until it ends or
///   the last caller that has joined it gives up.
/// - Progress: the progress of the closure's promise, or 1 for a value that was kept.
/// - Removing: after ``removeValue(for:)`` has returned, no caller gets a value whose load began before it, except for
///   those that wait for this load already.
/// - Keys: the cache hashes and compares keys on the thread of the caller, and never under a lock.
///
/// When a value is stored, values whose lifetime and `staleWhileRevalidating` are over are removed, from the value that
/// was not used for longest up to the first one that has not expired. So an expired value may stay until those before
/// it have expired, too, but a cache without a limit does not grow with values that nothing uses.
public final class ValueCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`, because the table is used under the lock only. Under the lock nothing is released and no
  // user code runs. Keys are therefore hashed and compared outside it (rule 6.5).
  private let lock = ShortLock()
  private var table: CacheTable<Key, Value>
  /// The loads in progress, by the numbers of their entries. So a load that began before the removal of its key is not
  /// shared by callers after it.
  private let loads: SingleFlight<Int, Value>
  private let timers: any TimerContext
  private let cost: (@Sendable (Value) -> Int)?
  private let identity: GateIdentity

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - lifetime: how long a value is kept. With `nil` it is kept until it is removed.
  ///   - stale: for how long after its lifetime a value is still returned while a new one is loaded.
  ///   - limit: the greatest sum of the costs of all values. With zero or less only values
  ///     that cost nothing are kept.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which the cache is created.
  ///   - label: names the cache in descriptions.
  ///   - cost: returns the cost of a value, for example its size in bytes. It is called once for each value that was
  ///     loaded, where the closure that loads it is called, or on the pool for an async closure. A negative cost counts
  ///     as 0. With `nil` each value costs 1, so that `limit` is the number of values.
  ///   - fileID: the file in which the cache is created, for descriptions.
  ///   - line: the line in that file.
  public init(
    lifetime: Duration? = nil, staleWhileRevalidating stale: Duration = .zero, limit: Int = .max,
    timers: any TimerContext = .standard, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    cost: (@Sendable (Value) -> Int)? = nil
  ) {
    table = CacheTable(lifetime: lifetime, stale: stale, limit: limit)
    self.timers = timers.effective
    self.cost = cost
    identity = GateIdentity("ValueCache", label, fileID, line)
    loads = SingleFlight(label: label, fileID: fileID, line: line)
  }

  /// Returns a promise for the value of a key. If there is none, or it has expired, the closure loads it.
  ///
  /// - Parameters:
  ///   - key: identifies the value.
  ///   - context: where the closure runs, if it is called.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - load: begins the load. If it throws, the result is rejected with that error.
  /// - Complexity: amortized O(1).
  public func value(
    for key: Key, on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: context, computingCostOn: context, fileID, line, load)
  }

  /// Returns a promise for the value of a key. If there is none, or it has expired, the async closure loads it.
  ///
  /// Differs from ``value(for:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)`` in that the closure runs in a Task of its
  /// own, so it needs no context. The Task inherits the task-local values of the caller whose closure is called. When
  /// the last caller has given up, the Task is cancelled. Both methods share the values.
  ///
  /// - Parameters:
  ///   - key: identifies the value.
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - load: returns the value. If it throws, the result is rejected with that error.
  /// - Complexity: amortized O(1), and a Task if a value is loaded.
  public func asyncValue(
    for key: Key, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ load: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    let tracing = CapturedContext()
    // No user code runs in the first context, which only creates the Task, on the thread of this call.
    return value(for: key, on: InlineContext.shared, computingCostOn: .pool, fileID, line) {
      .task(priority: priority, fileID: fileID, line: line) { try await tracing.run(awaiting: load) }
    }
  }

  /// Returns the value of a key, or `nil` if there is none or its lifetime is over. Loads nothing.
  ///
  /// - Complexity: O(1).
  public func cachedValue(for key: Key) -> Value? {
    let now = timers.elapsed
    let hash = key.hashValue
    let known = lock.locked { table.entries(withHash: hash) }
    guard let entry = known.first(where: { $0.key == key }) else { return nil }
    return lock.locked { table.freshValue(of: entry, at: now) }
  }

  /// Removes the value of a key.
  ///
  /// A load in progress continues for its callers. Its value is not kept, and later callers do not share it.
  ///
  /// - Complexity: O(1).
  public func removeValue(for key: Key) {
    let hash = key.hashValue
    let known = lock.locked { table.entries(withHash: hash) }
    for entry in known where entry.key == key {
      let removed = lock.locked { table.remove(entry) }
      withExtendedLifetime(removed) {}
    }
  }

  /// Removes all values. Everything else is as for ``removeValue(for:)``.
  ///
  /// - Complexity: O(*n*), where *n* is the number of values.
  public func removeAll() {
    let removed = lock.locked { table.removeAll() }
    for list in removed.values { for entry in list { entry.releaseValue() } }
  }

  /// The number of values that are kept. Some of them may have expired.
  ///
  /// - Complexity: O(1).
  public var count: Int { lock.locked { table.valueCount } }
}

// MARK: - Loading

extension ValueCache {
  private typealias Entry = CacheTable<Key, Value>.Entry

  private func value(
    for key: Key, on context: any ExecutionContext, computingCostOn costContext: any ExecutionContext,
    _ fileID: StaticString, _ line: UInt, _ load: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let (entry, found) = lookUp(key)
    switch found {
    case .fresh(let value): return .fulfilled(value, fileID: fileID, line: line)
    case .stale(let value, let mustLoad):
      if mustLoad {
        revalidate(entry, on: context, costContext, fileID, line, load)
      }
      return .fulfilled(value, fileID: fileID, line: line)
    case .missing:
      let loading = loading(entry, costContext, fileID, line, load)
      let result = loads.run(for: entry.number, on: context, fileID: fileID, line: line, loading)
      result.whenSettled { [self] in leave(entry, isRevalidation: false) }
      return result
    }
  }

  /// Finds the entry of a key, or adds one.
  private func lookUp(_ key: Key) -> (Entry, CacheTable<Key, Value>.Found) {
    let hash = key.hashValue
    let now = timers.elapsed
    var new: Entry?
    // Keys of entries up to this number differ, or their entries were removed.
    var lastCompared = 0
    var known = lock.locked { table.entries(withHash: hash) }
    while true {
      for entry in known where entry.number > lastCompared && entry.key == key {
        // The entry may have been removed meanwhile.
        if let found = lock.locked({ table.use(entry, at: now) }) { return (entry, found) }
      }
      lastCompared = known.last?.number ?? lastCompared
      let added = new ?? Entry(key, hash)
      new = added
      // Other threads may have added entries since these were compared.
      let later = lock.locked { table.add(added, unlessEntriesAfter: lastCompared) }
      guard let later else { return (added, .missing) }
      known = later
    }
  }

  /// Loads a value in place of a stale one. No caller gets the promise. If it is rejected, the old value remains.
  private func revalidate(
    _ entry: Entry, on context: any ExecutionContext, _ costContext: any ExecutionContext, _ fileID: StaticString,
    _ line: UInt, _ load: @escaping @Sendable () throws -> Promise<Value>
  ) {
    loads.runInBackground(
      entry.number, on: context, at: CreationSite(fileID: fileID, line: line),
      whenSettled: { [self] in leave(entry, isRevalidation: true) },
      loading(entry, costContext, fileID, line, load))
  }

  /// Returns a closure that loads a value and stores it.
  private func loading(
    _ entry: Entry, _ costContext: any ExecutionContext, _ fileID: StaticString, _ line: UInt,
    _ load: @escaping @Sendable () throws -> Promise<Value>
  ) -> @Sendable () throws -> Promise<Value> {
    { [self] in
      // Another load may have stored a value since the caller looked for one.
      let now = timers.elapsed
      if let value = lock.locked({ table.freshValue(of: entry, at: now) }) { return .fulfilled(value) }
      // The value is stored before the load ends. So at any moment, a caller finds the load or the value.
      let loaded = try load()
      let site = CreationSite(fileID: fileID, line: line)
      guard let cost else {
        return loaded.mapWithin(by: .map, at: site) { [self] value in
          store(value, cost: 1, in: entry)
          return value
        }
      }
      // Stored by a second link, because the first still runs if the load is given up while it computes the cost. Its
      // value may be older than the one that is stored by then (rule 2.5).
      // They are not below the client's promise (rule 4.0).
      return Promise.startOwned(on: InlineContext.shared, by: .map, at: site) { loaded }
        .map(on: costContext, fileID: fileID, line: line) { value in (value, max(0, cost(value))) }
        .mapWithin(by: .map, at: site) { [self] value, cost in
          store(value, cost: cost, in: entry)
          return value
        }
    }
  }

  private func leave(_ entry: Entry, isRevalidation: Bool) {
    let removed = lock.locked { table.leave(entry, isRevalidation: isRevalidation) }
    withExtendedLifetime(removed) {}
  }

  private func store(_ value: Value, cost: Int, in entry: Entry) {
    let now = timers.elapsed
    var mustGoOn = true
    while mustGoOn {
      let removed: CacheTable<Key, Value>.Removed
      (removed, mustGoOn) = lock.locked { table.store(value, cost: cost, in: entry, at: now) }
      withExtendedLifetime(removed) {}
    }
  }
}

extension ValueCache: CustomDebugStringConvertible {
  /// Describes the cache in one line: its label, the number of values and of loads in progress, and its creation site.
  public var debugDescription: String {
    let (values, loads) = lock.locked { (table.valueCount, table.loadingCount) }
    let kept = values == 1 ? "1 value" : "\(values) values"
    return "\(identity.text), \(kept), \(loads) loading, made at \(identity.createdAt)"
  }
}
