// Another thread may end an adopter or a follower before it is in the list of the promise for which it waits. So the
// thread that appends it looks again.

extension AnyPromise {
  /// Takes this entry out of the list of a promise if it has ended since it was made to wait for that promise. The
  /// thread that ended it did not find it in the list then.
  ///
  /// - Returns: the state of this entry.
  final func lookAgain(in source: AnyPromise) -> StateWord {
    let state = lock()
    let hasEnded = state.stage == .ended
    if !hasEnded { unsafe link.pointee.isToLookAgain = false }
    unlock(state)
    if hasEnded {
      leaveAfterEnd(Departure(promise: source, entry: self), givingUp: givesUpAfterEnd(state))
    }
    return state
  }

  /// Notes that this entry, which was appended to the list of a promise, has been looked at again. If it was ended
  /// before that, what it stands for has not finished before the promise has, if that was given up (rule 2.11).
  final func endLook(at promise: AnyPromise) {
    // Only this thread writes it.
    guard unsafe link.pointee.isToLookAgain else { return }
    holdFinish(untilFinished: promise)
    let state = lock()
    unsafe link.pointee.isToLookAgain = false
    let finish = state.stage == .ended ? takeHold() : nil
    unlock(state)
    finish?.release()
  }

  /// Whether this ended entry gives up the promise for which it was made to wait.
  final func givesUpAfterEnd(_ state: StateWord) -> Bool { isObserver ? givesUpFollowed : state.isEndedByCall }

  /// Leaves or gives up the promise for which this ended entry was made to wait.
  final func leaveAfterEnd(_ departure: Departure, givingUp: Bool) {
    var cancellation = Cancellation(because: reasonOfEnd, hooksRun: .elsewhere)
    cancellation.add(departure, givingUp: givingUp)
    cancellation.run()
  }
}
