import PromiseCore

/// The closures that acquire and release a resource, for one use of it.
struct ResourceClosures<Acquired: Sendable, Outcome: Sendable>: Sendable {
  private let context: any ExecutionContext
  private let acquire: @Sendable () throws -> Promise<Acquired>
  private let release: @Sendable (Acquired, Outcome) throws -> AnyPromise

  /// - Parameter context: where the two closures run.
  init(
    _ context: any ExecutionContext, _ acquire: @escaping @Sendable () throws -> Promise<Acquired>,
    _ release: @escaping @Sendable (Acquired, Outcome) throws -> AnyPromise
  ) {
    self.context = context
    self.acquire = acquire
    self.release = release
  }

  /// Acquires the resource, calls the closure with it, and releases it when the closure's promise has finished.
  ///
  /// - Parameters:
  ///   - bodyContext: where the closure runs.
  ///   - outcome: returns what the release gets of a settled promise, and does not handle a rejection.
  func use<Value>(
    on bodyContext: any ExecutionContext, at site: CreationSite,
    outcome: @escaping @Sendable (_ settled: AnyPromise) -> Outcome,
    _ body: @escaping @Sendable (Acquired) throws -> Promise<Value>
  ) -> Promise<Value> {
    let use = ResourceUse(outcome, at: site)
    let useEnded = use.ended
    let acquisition = Promise<Acquired>.startOwned(on: context, by: .using, at: site) { [acquire] in
      // If the result was cancelled before, nothing is acquired.
      guard useEnded.isPending else { throw CancellationError() }
      return try acquire()
    }
    // A consumer of the acquisition that no client can cancel. So a cancellation of the result leaves the acquisition
    // alone.
    let cleanup = acquisition.cleanup(by: .using, at: site) { [context, release] resource in
      useEnded.thenOwned(on: context, by: .using, at: site) { outcome in
        try release(resource, outcome).asVoid(at: site)
      }
    }
    let result = acquisition.thenOwned(on: bodyContext, by: .using, at: site) { resource in
      use.begin()
      let promise: Promise<Value>
      do {
        promise = try body(resource)
      } catch {
        promise = Promise(pendingAt: site)
        promise.settleIfPending(.failure(error))
      }
      use.end(with: promise)
      return promise.owned(untilCleanup: cleanup, by: .using, at: site)
    }
    // The closure may never be called.
    result.staysUnfinished(until: cleanup)
    use.waitForCall(in: result)
    return result
  }
}

/// The use of a resource by the closure of `using`. It ends when the closure's promise has finished, or when the closure
/// is released without having been called.
private final class ResourceUse<Outcome: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. Nothing is released under it.
  private let lock = ShortLock()
  /// The result of the operator, until the closure is called. Until then the result retains this object.
  private var result: AnyPromise?
  private var hasBegun = false

  private let outcome: @Sendable (_ settled: AnyPromise) -> Outcome

  /// Fulfilled with the outcome when the use has ended.
  let ended: Promise<Outcome>

  init(_ outcome: @escaping @Sendable (_ settled: AnyPromise) -> Outcome, at site: CreationSite) {
    self.outcome = outcome
    ended = Promise(pendingAt: site)
  }

  deinit {
    // The closure was not called, and never will be, because the result is being settled.
    result?.whenSettled { [outcome, ended] settled in ended.fulfillIfPending(outcome(settled)) }
  }

  /// Makes the use end with the outcome of the operator's result, if the closure is never called.
  func waitForCall(in result: AnyPromise) {
    lock.locked { if !hasBegun { self.result = result } }
  }

  /// Called when the closure is about to be called.
  ///
  /// A result that this object retains would not be collapsed (rule 3.3).
  func begin() {
    let result = lock.locked {
      hasBegun = true
      return self.result.take()
    }
    withExtendedLifetime(result) {}
  }

  /// Ends the use when the closure's promise has finished.
  func end(with promise: AnyPromise) {
    promise.whenFinished(
      settling: ended, reading: { [outcome, ended] settled in UseEnd(outcome(settled), ended) }, { $0.end() })
  }
}

/// The end of a use whose outcome is known. If the work is lost for which its promise waits to finish, this object is
/// released, which ends the use, too.
private final class UseEnd<Outcome: Sendable>: Sendable {
  private let outcome: Outcome
  private let ended: Promise<Outcome>

  init(_ outcome: Outcome, _ ended: Promise<Outcome>) {
    self.outcome = outcome
    self.ended = ended
  }

  deinit { end() }

  func end() { ended.fulfillIfPending(outcome) }
}
