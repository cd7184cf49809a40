// The owner of a promise makes it follow another (rule 3.1).

/// The entry by which a promise follows another, on behalf of its owner.
///
/// `@unchecked Sendable`, because the variables are guarded by the lock of the entry.
final class Follower: Entry<Never>, @unchecked Sendable {
  /// The promise that takes over the outcome.
  let promise: AnyPromise
  /// The source, if it was fired before it had finished, and found the promise settled. The thread that has settled the
  /// promise makes that wait. Accessed under the lock.
  private var unfinishedSource: AnyPromise?

  init(_ promise: AnyPromise, following source: AnyPromise) {
    self.promise = promise
    super.init(from: source, at: promise.site, [.isObserver, .follows], weight: 0)
  }
}

extension AnyPromise {
  /// Does what `follow` does, and reports it if this promise was settled before.
  @usableFromInline
  final func followAsOwner(_ other: AnyPromise) -> Bool {
    // Read first, because a cancelled promise gives `other` up, which may cancel that.
    let source = other.resolved
    let error = source.acquiredState.isDone ? source.storedError : nil
    return follow(other) || reportSecondSettlement(error, isFollowing: true)
  }

  /// Makes this promise settle as `other` does, on behalf of its owner. Returns `false` if this promise was settled
  /// before.
  ///
  /// If this promise was cancelled, `other` is given up. While another thread cancels this promise, either answer may
  /// be right. If the canceller has found `other`, the owner came in time. If the owner's thread gives `other` up
  /// itself, the owner came too late.
  @usableFromInline
  final func follow(_ other: AnyPromise) -> Bool {
    let source = other.resolved
    if source === self {
      let isPending = acquiredState.isPending
      breakRing()
      return isPending
    }
    let sourceState = source.acquiredState
    // If a cancellation has not decided yet for what the source waits, a follower learns it (rule 2.11).
    if sourceState.isDone, !sourceState.isUnfinished || sourceState.isClosed {
      if sourceState.isUnfinished {
        // A settled promise waits for nothing, so it closes no ring.
        if acquiredState.isPending, breakRing(throughFinishOf: source) { return true }
        source.passFinish(toPromise: self)
      }
      // Settled here, so that the answer tells whether the owner came in time.
      var queue = FiringQueue()
      let isPassed = source.pass(sourceState, toFollowing: self, &queue)
      queue.fireAll()
      return isPassed || rejectFollow(of: source)
    }
    let follower = Follower(self, following: source)
    unsafe follower.link.pointee.isToLookAgain = true
    // Other threads find the follower, and so its source, from now on.
    unsafe follower.link.pointee.source = PromisePointer(source)
    let state = lock()
    guard state.isPending else {
      unlock(state)
      unsafe follower.link.pointee.source = nil
      return rejectFollow(of: source)
    }
    sideTable.follows.append(follower)
    unlock(state)
    if Diagnostics.hasEnrollments { note(.waitsFor(source)) }
    let wasPending = source.acquiredState.isPending
    follower.append(to: source, looksAgain: true)
    follower.endLook(at: source)
    // Under the lock, see `Rings.swift`.
    let after = locked { relaxedState }
    if after.isPending {
      if after.wasConsumed, isAwaited(by: source) { breakRing() } else { renewProgressWatch() }
      return true
    }
    // Settled by `other`, or meanwhile by another thread. If it was cancelled, but not by a settlement of `other`, the
    // owner came in time only if the canceller has found the follower.
    return !after.isEndedByCall || wasPending && source.resolved.acquiredState.isEndedByCall
  }

  /// Returns `false`, because this promise is settled. If it was cancelled, gives up the promise that its owner wanted
  /// it to follow (rule 3.1).
  private func rejectFollow(of other: AnyPromise) -> Bool {
    let state = acquiredState
    guard state.isCancelled, state.isEndedByCall else { return false }
    giveUpUnadopted(other)
    return false
  }

  /// Passes the outcome of this promise on to a promise that follows it. Returns `false` if that was settled before.
  ///
  /// - Parameter follower: the entry by which that promise has waited, if it has.
  final func pass(
    _ outcome: StateWord, toFollowing promise: AnyPromise, by follower: Follower? = nil, _ queue: inout FiringQueue
  ) -> Bool {
    let passed = passedOutcome(outcome, shares: ProgressShares(amount: 0, share: promise.weight))
    let trail =
      outcome.isRejected && Diagnostics.recordsRejectionTrails ? trail?.passed(to: promise, by: follower) : nil
    // The others that the promise follows may be settled, too, and may not have finished.
    if Finish.isUsed, promise.followsOthers(than: follower) {
      promise.staysUnfinished(untilSettled: promise.followed)
    }
    guard let settled = promise.settle(with: passed, trail: trail) else { return false }
    settled.promise.retain()
    queue.append(settled)
    if outcome.isRejected { markDutyPassed(to: promise) }
    return true
  }

  /// The promises that this one follows and has not left.
  final var followed: [AnyPromise] {
    let follows = locked { side?.follows ?? [] }
    return follows.compactMap { follower in follower.locked { unsafe follower.link.pointee.source?.strong } }
  }

  /// Whether this promise follows others than the one behind a follower.
  final func followsOthers(than follower: Follower?) -> Bool {
    locked { side?.follows.contains { $0 !== follower } ?? false }
  }

  /// Whether a promise that this one follows will settle it, even if its owner is deallocated.
  final var isFollowing: Bool { locked { side.map { !$0.follows.isEmpty } ?? false } }
}

extension Follower {
  /// Whether what this follower waited for is given up, now that the follower has ended.
  var givesUp: Bool { promise.acquiredState.isEndedByCall }

  /// Leaves a source that has not finished to the thread that has settled the promise. Called before this follower
  /// ends. So a thread that finds it ended takes the source.
  func leave(_ source: AnyPromise) { locked { unfinishedSource = source } }

  func takeUnfinishedSource() -> AnyPromise? { locked { unfinishedSource.take() } }
}

extension AnyPromise {
  /// Whether the promise for which this ended observer waited is given up: only by a follower whose promise was
  /// cancelled.
  final var givesUpFollowed: Bool {
    guard traits.contains(.follows) else { return false }
    // Safe, because only a `Follower` has this trait.
    return unsafe unsafeDowncast(self, to: Follower.self).givesUp
  }

  /// The reason with which an ended entry gives up what it waited for.
  final var reasonOfEnd: any Error {
    let promise = traits.contains(.follows) ? unsafe unsafeDowncast(self, to: Follower.self).promise : self
    return promise.acquiredState.isDone ? promise.storedError ?? CancellationError() : CancellationError()
  }

  /// Ends this entry before its handler has started, so that it does not run. Returns `nil` if it has run, is running,
  /// or has ended before. Releases its captures.
  ///
  /// - Returns: the departure from the promise for which the entry waited. If that is settled, it does nothing.
  final func detach() -> Departure? {
    var state = lock()
    guard state.stage == .waiting || state.stage == .scheduled else {
      unlock(state)
      return nil
    }
    let isScheduled = state.stage == .scheduled
    state.stage = .ended
    let source = unsafe link.pointee.source
    // Retained under the lock, see `Engine.swift`. A scheduled entry passes on its reference.
    if !isScheduled { source?.retain() }
    // Released after the section.
    let body = unsafe link.pointee.body.take()
    let context = unsafe link.pointee.context.take()
    defer { withExtendedLifetime((body, context)) {} }
    unsafe link.pointee.source = nil
    unlock(state)
    guard let promise = source?.takeStrong() else { return nil }
    return Departure(promise: promise, entry: self)
  }
}
