import Synchronization

// A context runs the job of an entry: its body runs and is released, and then its promise is settled.

/// The job of an entry, as a pointer that owns a reference to it.
///
/// It must be run or rejected exactly once. The contexts of the library take it as it is, because they cannot lose a
/// job. Every other context gets a ``Job``, which notices that it is dropped.
@usableFromInline
package struct UncheckedJob: Sendable {
  @usableFromInline let entry: PromisePointer

  init(_ entry: PromisePointer) { self.entry = entry }

  /// Runs the handler on the calling thread, then settles the promise derived by it.
  package func run() { run(handlerReturned: {}) }

  /// Runs the job as `run()` does, and calls the closure when the handler has returned, before the derived promise is
  /// settled.
  @inline(__always)
  package func run(handlerReturned: () -> Void) {
    guard entry.with({ $0.start() }) else { return entry.release() }
    // No reference to the entry outlives these calls, because a promise that adopts is tested for uniqueness.
    let source = entry.with { unsafe $0.link.pointee.source }
    let result = callBody(source)
    handlerReturned()
    finish(result, source)
  }

  /// Calls the body of the entry, which is running, and releases it with everything that it captured (rule 2.4).
  ///
  /// Takes the body without the lock, because it belongs to the thread that has started the entry.
  @inline(__always)
  private func callBody(_ source: PromisePointer?) -> BodyResult {
    guard let body = entry.with({ unsafe $0.link.pointee.body.take() }) else { return .nothing }
    return (source ?? entry).with { from in entry.with { body(from, $0) } }
  }

  @inline(__always)
  private func finish(_ result: consuming BodyResult, _ source: PromisePointer?) {
    guard case .value(let value) = result else { return finishOtherwise(result, source) }
    // Released last, because it may run code of a client, and by then the next handlers are scheduled (rule 6.5). A
    // strong reference, because `release()` would retain it once more here.
    let source = source?.takeStrong()
    defer { withExtendedLifetime(source) {} }
    guard let settled = entry.with({ $0.endRunning(with: .value(value)) }) else { return entry.release() }
    var queue = FiringQueue()
    queue.fire(settled)
    queue.fireAll()
  }

  @inline(never)
  private func finishOtherwise(_ result: BodyResult, _ source: PromisePointer?) {
    if case .adopts(let adopted) = result {
      // Safe, because the result has a reference that is counted by hand, and `adopt` takes it over.
      unsafe AnyPromise.adopt(PromisePointer(adopted), by: entry, insteadOf: source)
      return
    }
    if case .first(let result, let next) = result {
      finish(result, source)
      return next()
    }
    var queue = FiringQueue()
    entry.with { entry in
      if let source {
        source.with { entry.finish(with: result, from: $0, &queue) }
      } else {
        entry.finish(with: result, from: entry, &queue)
      }
    }
    queue.fireAll()
    source?.release()
    entry.release()
  }

  /// Returns a pointer that owns the job, for a function of C. It must be given to ``run(owning:)`` exactly once.
  package var pointer: UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(bitPattern: entry.address).unsafelyUnwrapped
  }

  /// Runs the job that the pointer owns.
  package static func run(owning pointer: UnsafeMutableRawPointer) {
    UncheckedJob(PromisePointer(address: UInt(bitPattern: pointer))).run()
  }

  /// Ends the job without running the handler, and rejects the derived promise.
  func reject(_ error: (AnyPromise) -> any Error) {
    let entry = entry.takeStrong()
    guard entry.start() else { return }
    let source = unsafe entry.link.pointee.source
    var bodies: (HandlerBody?, HandlerBody?)? = unsafe (entry.link.pointee.body.take(), entry.takeValueBody())
    guard let promise = entry.settledByHandler else {
      _ = bodies.take()
      entry.endWithoutSettling()
      source?.release()
      return
    }
    let error = error(promise)
    UnnestedWork.settle {
      entry.rejectUnfinished(promise, error) { _ = bodies.take() }
      // Not before, because other threads find the source through the entry until then.
      source?.release()
    }
  }
}

extension AnyPromise {
  /// Starts this entry. From now on its body belongs to the caller, and so does the reference to its source, which
  /// other threads can still find. Returns `false` if the handler does not run, because the promise was cancelled.
  @inline(__always)
  fileprivate final func start() -> Bool {
    var state = lock()
    let isScheduled = state.stage == .scheduled
    if isScheduled { state.stage = .running }
    unlock(state)
    return isScheduled
  }

  /// Settles this entry, whose handler has returned. Returns `nil` if it was settled meanwhile.
  ///
  /// The source stays readable through this entry until now.
  @inline(__always)
  final func endRunning(with outcome: Outcome, trail: RejectionTrail? = nil) -> Settled? {
    var state = lock()
    unsafe link.pointee.source = nil
    state.stage = .ended
    if state.isPending { return settle(state, with: outcome, trail: trail) }
    let finish = takeHold()
    unlock(state)
    finish?.release()
    if case .value(let value) = outcome { destroy(value) }
    return nil
  }

  /// Does what a body says that has run for the outcome of `source`. The caller retains this entry.
  final func finish(with result: BodyResult, from source: AnyPromise, _ queue: inout FiringQueue) {
    let outcome: Outcome
    var trail: RejectionTrail?
    switch result {
    case .value(let value): outcome = .value(value)
    case .error(let error):
      // An entry without a source is passed as its own, and may be cancelled at this moment.
      let passesOn = source !== self && source.relaxedState.isCancelled && source.payload.isSameError(as: error)
      outcome = .error(
        error, cancelled: passesOn || error is CancellationError, amount: amount(after: source))
      trail = newTrail(of: outcome)
    case .passes(let isHandled, let asCancelled):
      let state = source.relaxedState
      if traits.contains(.isObserver) || isKept { return endWithoutSettling() }
      outcome = source.passedOutcome(state, isHandled: isHandled, asCancelled: asCancelled)
      if state.isRejected, Diagnostics.recordsRejectionTrails { trail = source.trail?.passed(to: self) }
      if state.isRejected { source.markDutyPassed(to: self) }
    case .nothing, .awaits: return endWithoutSettling()
    case .first:
      assertionFailure("Only a handler with a context returns a result in two parts, and its job takes them apart.")
      return endWithoutSettling()
    case .adopts(let adopted):
      assertionFailure("A job passes the promise to `adopt`, and no handler without a context returns one.")
      unsafe adopted.release()
      return endWithoutSettling()
    case .entails(let consequence):
      endWithoutSettling()
      return queue.carryOut(consequence, because: source)
    }
    // A kept handler for an error has thrown one.
    if traits.contains(.isObserver) { return endWithoutSettling() }
    guard let settled = endRunning(with: outcome, trail: trail) else { return }
    settled.promise.retain()
    queue.append(settled)
  }

  /// The promise of this link was settled before its source, and has kept the handler for an error (rule 2.5). The
  /// handler runs as that of an observer. If it does not look at the error, the duty to do so stays with the source (rule
  /// 7.1).
  private final var isKept: Bool { locked { unsafe link.pointee.isBodyMarked } && !traits.contains(.isObserver) }

  /// Ends a running entry without settling its promise. An owner settles that, if anything does.
  final func endWithoutSettling() {
    let state = lock()
    unsafe link.pointee.source = nil
    unlockEnded(state)
  }

  /// Ends a locked entry whose promise is not settled here.
  ///
  /// An observer that has a place in the tour becomes done under the stripe, because a walk retains a member that it
  /// sees pending.
  final func unlockEnded(_ state: StateWord) {
    var new = state
    new.stage = .ended
    if traits.contains(.isTakenBack), state.isPending {
      return unlock(place(EntryList(), new.settled(as: .fulfilled).becomingClosed()))
    }
    let finish = takeHold()
    unlock(new)
    finish?.release()
  }

  /// Rejects the promise of this entry, whose handler has started and will not return.
  ///
  /// - Parameter releaseHandler: releases the handler, before the promise fires its own handlers (rule 2.4). A place in
  ///   a gate that the handler has retained is free when the promise is settled, and not before.
  fileprivate final func rejectUnfinished(
    _ promise: AnyPromise, _ error: any Error, releaseHandler: () -> Void = {}
  ) {
    if promise !== self {
      releaseHandler()
      endWithoutSettling()
      _ = promise.rejectAsOwner(error)
      return
    }
    var queue = FiringQueue()
    // The source belongs to the caller.
    let source = unsafe link.pointee.source ?? PromisePointer(self)
    source.with { source in
      finish(with: .error(error), from: source, &queue)
      // A link that was cancelled meanwhile has the duty to look at the rejection of its source (rule 7.1).
      if acquiredState.isEndedByCall, !isKept { source.markDutyPassed(to: self) }
    }
    releaseHandler()
    queue.fireAll()
  }

  /// Rejects this entry, whose handler has started and will never return, because its thread ended inside it.
  final func rejectUnreturned(_ error: any Error) {
    guard let promise = settledByHandler else { return }
    UnnestedWork.settle { [self] in if relaxedState.stage == .running { rejectUnfinished(promise, error) } }
  }
}

// MARK: - Async handlers

extension UncheckedJob {
  /// Runs an async handler, as `run()` runs an ordinary one.
  func runAwaiting() async {
    guard entry.with({ $0.start() }) else { return entry.release() }
    let source = entry.with { unsafe $0.link.pointee.source }
    finish(await awaitBody(source), source)
  }

  /// Runs the closure, and releases it with everything that it captured.
  private func awaitBody(_ source: PromisePointer?) async -> BodyResult {
    let result = callBody(source)
    guard case .awaits(let operation) = result else { return result }
    return await AsyncHandler.$address.withValue(entry.address) { await operation() }
  }
}

/// The async handler that the Task of a link calls.
package enum AsyncHandler {
  /// The address of the link in its Task.
  @TaskLocal fileprivate static var address: UInt = 0

  /// Throws if the link was settled before its handler has begun, which may have waited for an actor (rule 2.5). Called
  /// at the beginning of a handler.
  package static func checkIsWanted() throws {
    let address = address
    assert(address != 0, "A handler has begun outside the Task of its link.")
    // Safe, because the Task retains the link until the handler has returned.
    let isPending = PromisePointer(address: address).with { $0.acquiredState.isPending }
    if !isPending { throw CancellationError() }
  }
}

// MARK: - Owners that are made on a context

/// The entry of a job that makes the owner of a promise.
///
/// It is apart from the promise, because a class initialiser cannot return a subclass.
///
/// `@unchecked Sendable`, because its own field is constant.
final class OwnerMaker: Entry<Never>, @unchecked Sendable {
  let promise: AnyPromise

  init(of promise: AnyPromise) {
    self.promise = promise
    super.init(startingAt: promise.site, [.isObserver, .value, .hidesSource, .makesOwner])
  }

  /// Drops the closure, unless it has begun. If it is running, the finish of the promise has a hold until it has
  /// returned.
  func cancel(holding finish: Finish?) {
    _ = detach()
    let isRunning = withState { state in
      guard state.stage == .running, let finish else { return false }
      sideTable.finish = finish
      sideTable.holdsFinish = true
      return true
    }
    if isRunning { finish?.note(.handler(self)) } else { finish?.release() }
  }
}

extension AnyPromise {
  /// The promise that the handler of this entry settles: this one, or that of an owner. `nil` if there is none.
  final var settledByHandler: AnyPromise? {
    if traits.contains(.makesOwner) { return unsafe unsafeDowncast(self, to: OwnerMaker.self).promise }
    return traits.contains(.isObserver) ? nil : self
  }
}
