import Synchronization

// Whether somebody has looked at a rejection (rule 7.1). Only rejected promises pay for the question.
//
// A mark is one relaxed read-modify-write of the state word: it publishes nothing, and whoever reads it is the last to have the promise,
// after all others have let it go. It is set when a handler runs, not when it is attached: if its context drops it, nobody has looked.

extension AnyPromise {
  /// The error of a settled promise, if it was rejected, for somebody who looks at it.
  @usableFromInline final var errorMarkingHandled: (any Error)? {
    guard let error = storedError else { return nil }
    markHandled()
    return error
  }

  /// Somebody looked at the error of this settled promise, or the duty to do so was handed on.
  @usableFromInline
  final func markHandled() {
    if cellHint.isUnhandled { word.bitwiseOr(StateWord.handledBit, ordering: .relaxed) }
  }

  /// Claims, and writes the error of another promise, with its cancelled mark; with it comes the duty to look at it, unless
  /// somebody has. The caller publishes.
  ///
  /// - Parameter isHandled: somebody has, just now.
  @usableFromInline
  final func claim(passing error: any Error, from source: AnyPromise, isHandled: Bool = false) -> Bool {
    let state = source.cellHint
    let isHandled = isHandled || state.hasArrivedHandled
    guard claim(state.isCancelled ? .rejectingAsCancelled : isHandled ? .rejectingAsHandled : .rejecting) else {
      return false
    }
    store(error)
    continueTrail(of: source)
    source.markHandled()
    return true
  }
}
