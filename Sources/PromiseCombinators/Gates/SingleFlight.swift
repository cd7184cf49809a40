public import PromiseContexts
public import PromiseCore

/// Once for all who ask at the same time: while a promise for a key is pending, all who ask for that key get its outcome
/// (reference row N12).
///
/// ```swift
/// let loads = SingleFlight<URL, Image>()
/// @Sendable func image(at url: URL) -> Promise<Image> { loads.run(url) { server.picture(url) } }
/// ```
///
/// It is no cache: once the promise is settled, fulfilled or not, who asks next starts anew. To keep the value for later
/// callers, store it inside the closure, in a `tap` on the promise that it returns: a caller that stores the value after it
/// has waited leaves a gap, in which another caller starts a second flight.
///
/// - Failure: all who wait are rejected as the closure's promise is, or with what the closure throws.
/// - Cancelling a result takes away one who wants the outcome; letting go of one does not. With the last of them the
///   closure's promise is given up, with all that it waits for (rule 4.6). Who asks from then on starts anew, even if the
///   promise is still pending.
/// - Progress: that of the closure's promise.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock only. Under it nothing is released, and no code of users' run: keys are compared outside
  // (rule 6.5).
  private let lock = ShortLock()
  /// By the hash of their keys.
  private var flights: [Int: [Flight]] = [:]
  /// Grows with every change of `flights`.
  private var version = 0

  /// With nothing under way.
  public init() {}

  /// The outcome of what is under way for the key; if there is nothing, the closure is called, and its promise is what
  /// is under way from now on.
  ///
  /// - Parameters:
  ///   - key: what is asked for.
  ///   - context: where the closure runs, if it does.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: begins the work. A throw is a rejection.
  /// - Complexity: O(1).
  public func run(
    _ key: Key, on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let site = CreationSite(fileID: fileID, line: line)
    // For what is under way nothing need be made.
    if let flight = join(key) { return outcome(of: flight, fileID, line) }
    let start = Promise<Void>(pendingAt: site)
    let new = Flight(for: key, start.thenOwned(on: context, at: site, body))
    let flight = join(new)
    let result = outcome(of: flight, fileID, line)
    if flight === new {
      new.promise.whenSettled { [self] in removeSettled(new) }
      start.fulfillIfPending(())
    } else {
      // Somebody else was faster, and nobody knows this one.
      new.promise.cancel()
    }
    return result
  }

  /// Returns a promise for the outcome of what is under way for the key. If nothing is, the async closure is called.
  ///
  /// As ``run(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``, but the closure needs no context: it runs in a Task of its own, which
  /// inherits the task-local values of the caller that starts it. Both forms share what is under way.
  ///
  /// When the last client has given up, the Task is cancelled, and the next caller starts anew at once (rule 4.6). A closure that
  /// ignores the cancellation of its Task may then still run beside the new one. What it returns or throws is discarded.
  ///
  /// - Parameters:
  ///   - key: what is asked for.
  ///   - priority: that of the Task; `nil`: the caller's.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value. A throw is a rejection.
  /// - Complexity: O(1), and a Task for what is started.
  public func asyncRun(
    _ key: Key, priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    // No user code runs in this context: it only makes the Task.
    run(key, on: InlineContext.shared, fileID: fileID, line: line) {
      .task(priority: priority, fileID: fileID, line: line) { try await body() }
    }
  }

  /// What one who has joined gets.
  private func outcome(of flight: Flight, _ fileID: StaticString, _ line: UInt) -> Promise<Value> {
    // Behind a shield: who cancels all the way up takes away one, and not what others wait for.
    let result = flight.promise.shielded(fileID: fileID, line: line)
    result.giveUpWhenSettled { [self] in leave(flight) }
    return result
  }
}

// MARK: - Flights

extension SingleFlight {
  private final class Flight: @unchecked Sendable {
    let key: Key
    let hash: Int
    let promise: Promise<Value>
    // `@unchecked`: touched under the lock of the whole.
    var consumerCount = 1

    init(for key: Key, _ promise: Promise<Value>) {
      self.key = key
      self.promise = promise
      hash = key.hashValue
    }
  }

  /// One more waits for the flight of a key, which is `new` if there is none.
  private func join(_ new: Flight) -> Flight { join(new.key, new.hash, or: new) ?? new }

  /// One more waits for the flight of a key, if there is one.
  private func join(_ key: Key) -> Flight? { join(key, key.hashValue, or: nil) }

  private func join(_ key: Key, _ hash: Int, or new: Flight?) -> Flight? {
    while true {
      let (candidates, seenVersion) = lock.locked { (flights[hash] ?? [], version) }
      // One that is settled is about to go.
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

  /// One who waited has an outcome. If it was the last, nobody can board any more: from the same moment on, or who
  /// boards meanwhile would be cancelled with it.
  ///
  /// - Returns: what nobody waits for any more.
  private func leave(_ flight: Flight) -> AnyPromise? {
    let before = lock.locked {
      flight.consumerCount -= 1
      return flight.consumerCount == 0 ? remove(flight) : nil
    }
    return before == nil ? nil : flight.promise
  }

  private func removeSettled(_ flight: Flight) {
    let before = lock.locked { remove(flight) }
    withExtendedLifetime(before) {}
  }

  /// Under the lock.
  ///
  /// - Returns: what goes with it is to be released outside the lock; `nil`: it was removed before.
  private func remove(_ flight: Flight) -> [Flight]? {
    let before = flights[flight.hash] ?? []
    let after = before.filter { $0 !== flight }
    guard after.count < before.count else { return nil }
    flights[flight.hash] = after.isEmpty ? nil : after
    version += 1
    return before
  }
}
