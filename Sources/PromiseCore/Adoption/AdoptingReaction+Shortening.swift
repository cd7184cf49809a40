import Synchronization

// A program that retains the promises of the last few steps of a loop holds each when its turn to be collapsed comes, and lets it go later.
// So a line of adopters is walked now and then, and those that nobody holds any more are collapsed then (rule 3.3).

extension AdoptingReaction {
  /// The target of this reaction is about to adopt another, and stays where it is. If the line of those that have adopted it, and them in
  /// turn, has grown to twice what was left of it at the last walk, it is walked.
  ///
  /// - Complexity: O(1), amortised over the steps of a loop.
  final func shortenLine() {
    guard let target, let before = target.lineOfAdopters else { return }
    line = (before.length + 1, before.limit)
    guard line.length >= line.limit else { return }
    let left = Int32(clamping: target.collapseAdopters())
    line = (left, max(16, left.multipliedReportingOverflow(by: 2).overflow ? .max : 2 * left))
  }

  /// This reaction waits for `promise`, whose list the caller has borrowed: collapses its target, if nobody holds that any more, into `promise`.
  ///
  /// While the edge is marked as moving, who ends it leaves the reaction to us, and cannot let the target go.
  ///
  /// - Returns: the target that stays, and whether the reaction stays.
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
  /// Of the newest promise that has adopted this one; `nil`: nobody has, or others wait here, too.
  fileprivate final var lineOfAdopters: (length: Int32, limit: Int32)? {
    let state = cellHint
    guard state.consumers > 0, state.forward() != nil else { return nil }
    var line: (length: Int32, limit: Int32)?
    _ = withReactions(atMost: 1) { reaction in
      if reaction.traits.contains(.forwards) { line = reaction.asAdopting.line }
    }
    return line
  }

  /// Collapses all of the line above this promise that nobody holds. A loop. Returns how many are left.
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
