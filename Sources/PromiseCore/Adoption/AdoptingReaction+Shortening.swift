import Synchronization

// A program may retain the promises of the last few steps of a loop and release them later. Such a promise cannot be
// collapsed when its turn comes. Therefore a line of adopters is walked from time to time, and the promises that
// nothing retains any more are collapsed then (rule 3.3).

extension AdoptingReaction {
  /// Walks the line of adopters that ends at the target, if the line has grown to twice the length that was left after
  /// its last walk.
  ///
  /// The target of this reaction is about to adopt another promise, and could not be collapsed. The line consists of
  /// the promises that have adopted the target, of those that have adopted these, and so on.
  ///
  /// - Complexity: O(1), amortised over the steps of a loop.
  final func shortenLine() {
    guard let target, let before = target.lineOfAdopters else { return }
    line = (before.length + 1, before.limit)
    guard line.length >= line.limit else { return }
    let left = Int32(clamping: target.collapseAdopters())
    line = (left, max(16, left.multipliedReportingOverflow(by: 2).overflow ? .max : 2 * left))
  }

  /// Collapses the target of this reaction into `promise`, for which the reaction waits, if nothing retains the target
  /// any more. The caller has borrowed the list of `promise`.
  ///
  /// While the edge is marked as moving, a thread that ends the edge leaves the reaction to this thread, and cannot
  /// release the target.
  ///
  /// - Returns: the target, if it stays, and whether the reaction stays in the list.
  fileprivate func collapseIfUnheld(into promise: AnyPromise) -> (target: AnyPromise?, stays: Bool) {
    let here = location(of: promise)
    guard adopted.beginMoving(from: here) else { return (nil, false) }
    if collapse(whileWaitingFor: promise) {
      _ = adopted.retire(here)
      return (nil, false)
    }
    let target = target
    if adopted.endMoving(from: here, to: here) { return (target, true) }
    _ = adopted.retire(here)
    becomeEmpty()
    return (nil, false)
  }
}

extension AnyPromise {
  /// The line that ends at the newest promise that has adopted this one. `nil` if no promise has, or if others than
  /// adopters wait here too.
  fileprivate final var lineOfAdopters: (length: Int32, limit: Int32)? {
    let state = relaxedState
    guard state.consumers > 0, state.forward() != nil else { return nil }
    var line: (length: Int32, limit: Int32)?
    _ = withReactions(atMost: 1) { reaction in
      if reaction.traits.contains(.forwards) { line = reaction.asAdopting.line }
    }
    return line
  }

  /// Collapses every promise in the line of adopters of this promise that nothing retains. A loop. Returns how many
  /// promises are left, this one included.
  fileprivate final func collapseAdopters() -> Int {
    var count = 0
    var left = [self]
    while let promise = left.popLast() {
      count += 1
      promise.withBorrowedReactions { reaction in
        guard reaction.traits.contains(.forwards) else { return true }
        let (target, stays) = reaction.asAdopting.collapseIfUnheld(into: promise)
        if let target { left.append(target) }
        return stays
      }
    }
    return count
  }
}
