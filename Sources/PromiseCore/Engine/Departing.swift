/// One consumer that is about to leave a promise, or to give it up (rule 4.4), or an observer that is no consumer and
/// leaves.
///
/// It has ended, so it waits no more, but it is still in the list of the promise, and a consumer is still counted. The
/// thread that has the departure must carry it out once.
@usableFromInline
package struct Departure: Sendable {
  let promise: AnyPromise
  /// The entry that waits for the promise. `nil` if the promise is given up by something that never was a consumer of
  /// it. Then the promise is cancelled if it has no consumers at all.
  var entry: AnyPromise?
  /// The entry stays in the list, because its handler for an error runs even so (rule 2.5). It is no consumer any more.
  let keepsHandler: Bool

  init(promise: AnyPromise, entry: AnyPromise? = nil, keepsHandler: Bool = false) {
    self.promise = promise
    self.entry = entry
    self.keepsHandler = keepsHandler
  }

  /// Leaves the promise, which stays as it is. If no consumer and no client is left of a promise whose owner observes
  /// that, it is cancelled (rule 4.6).
  func leaveAlone() { if let promise = leave() { UnnestedWork.giveUpUnobserved(promise) } }

  /// Leaves the promise, which stays as it is.
  ///
  /// - Returns: the promise if no consumer and no client is left, and its owner observes that. Then the caller cancels
  ///   it.
  func leave() -> AnyPromise? {
    let (promise, state) = lockAndRemove()
    guard let state else { return nil }
    let isUnobserved = state.consumers == 0 && promise.side?.isUnobserved == true
    promise.unlock(state)
    return isUnobserved ? promise : nil
  }

  /// Locks the promise, or the one into which it was collapsed, and takes the entry out of its list.
  ///
  /// - Returns: the locked promise and its state. No state, and no lock, if nothing has to be done, because the promise
  ///   is settled, or the entry is not in its list yet.
  func lockAndRemove() -> (promise: AnyPromise, state: StateWord?) {
    var promise = promise
    while true {
      let state = promise.lock()
      if state.isForwarded {
        promise.unlock(state)
        promise = promise.resolved
        continue
      }
      guard state.isPending else {
        promise.unlock(state)
        return (promise, nil)
      }
      guard let entry else { return (promise, state) }
      guard promise.list.contains(entry) else {
        // The thread that appends it looks again.
        promise.unlock(state)
        return (promise, nil)
      }
      if !keepsHandler {
        promise.list.remove(entry)
        // Not the last reference, because the departure has one.
        PromisePointer(entry).release()
      }
      return (promise, entry.traits.contains(.isNotConsumer) ? state : state.removingConsumer())
    }
  }
}

/// What is taken out of an entry when it is settled by something other than its source.
struct EndedEntry {
  enum WaitedFor { case pendingSource, settledSource, adopted }

  /// The promise for which the entry waited, if it has to leave that or to mark it as handled.
  var source: AnyPromise?
  var waitedFor = WaitedFor.settledSource
  /// The entry has kept its handler for an error.
  var keepsHandler = false
  /// The entry is an `always`, whose `body` runs with the reason, on `context`.
  var runsBody = false
  /// The settled source of the entry, if that may not have finished.
  var unfinishedSource: AnyPromise?
  /// How much of its weight the entry had done because of its source, if that is settled.
  var amount = 0.0
  var body: HandlerBody?
  var context: (any ExecutionContext)?
  private var valueBody: HandlerBody?
  /// The reference that a scheduled entry had to its source.
  private var settledSource: AnyPromise?

  /// The entry had something that is released when everything is settled, because a release may run code of a client.
  var isReleasedLater: Bool { body != nil || valueBody != nil || context != nil || settledSource != nil }

  /// Ends a locked entry, as far as its handler does not run even so (rule 2.5).
  ///
  /// - Parameter list: the promise in whose list the entry was found, if the same cancellation has settled that.
  mutating func end(_ entry: AnyPromise, _ state: inout StateWord, listedBy list: PromisePointer?) {
    entry.assertLocked()
    switch state.stage {
    case .ended: return
    case .running: amount = unsafe entry.link.pointee.source?.with { entry.amount(after: $0) } ?? 0
    case .adopting:
      amount = entry.keptShares.amount
      source = unsafe entry.link.pointee.source?.strong
      waitedFor = .adopted
      unsafe entry.link.pointee.source = nil
      state.stage = .ended
    case .waiting, .scheduled: endHandler(of: entry, &state, isListed: list != nil)
    }
  }

  /// Takes the handler out of a locked observer, unless it has started.
  mutating func takeBack(from observer: AnyPromise, _ state: StateWord) {
    observer.assertLocked()
    guard state.stage == .waiting || state.stage == .scheduled else { return }
    source = unsafe observer.link.pointee.source?.strong
    // A scheduled entry retains its source.
    if state.stage == .scheduled { settledSource = unsafe observer.link.pointee.source?.takeStrong() }
    body = unsafe observer.link.pointee.body.take()
    context = unsafe observer.link.pointee.context.take()
    unsafe observer.link.pointee.source = nil
  }

  private mutating func endHandler(of entry: AnyPromise, _ state: inout StateWord, isListed: Bool) {
    let isScheduled = state.stage == .scheduled
    let source = unsafe entry.link.pointee.source?.strong
    // If the source is settled, it stays so. If it is pending now, the thread that settles it finds this entry ended.
    let sourceState = source?.acquiredState
    let isSettled = sourceState?.isDone ?? true
    let isRejected = sourceState.map { $0.isDone && $0.isRejected } ?? false
    if isSettled, let source {
      amount = entry.amount(after: source)
      // Of a listed entry, the cancellation decides it itself.
      if !isListed, sourceState?.isUnfinished == true, !entry.traits.contains(.shields) { unfinishedSource = source }
    }
    if !isSettled || isRejected {
      self.source = source
      waitedFor = isSettled ? .settledSource : .pendingSource
    }
    switch entry.traits.whenCancelled {
    case .keepForError where !isSettled || isRejected:
      if !isScheduled { valueBody = entry.takeValueBody() }
      unsafe entry.link.pointee.isBodyMarked = !isSettled
      keepsHandler = true
      return
    case .runOnce:
      if isSettled { return }
      runsBody = true
    case .drop, .keepForError: break
    }
    body = unsafe entry.link.pointee.body.take()
    valueBody = entry.takeValueBody()
    context = unsafe entry.link.pointee.context.take()
    // A scheduled entry retains its source.
    if isScheduled { settledSource = unsafe entry.link.pointee.source?.takeStrong() }
    unsafe entry.link.pointee.source = nil
    state.stage = .ended
  }
}
