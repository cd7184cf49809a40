import Synchronization

// Whether somebody has looked at a rejection (rule 7.1). Only rejected promises pay for the question.
//
// A mark is one relaxed read-modify-write of the state word: it publishes nothing, and whoever reads it is the last to have the promise,
// after all others have let it go. It is set when a handler runs, not when it is attached: if its context drops it, nobody has looked.

extension AnyPromise {
  /// The error of a settled promise, if it was rejected, for somebody who looks at it.
  @usableFromInline final var examinedError: (any Error)? {
    guard let error else { return nil }
    markExamined()
    return error
  }

  /// Somebody looked at the error of this settled promise, or the duty to do so was handed on.
  @usableFromInline
  final func markExamined() {
    if cellHint.isUnhandled { word.bitwiseOr(CellWord.examinedBit, ordering: .relaxed) }
  }

  /// Claims, and writes the error of another promise, with its cancelled mark; with it comes the duty to look at it, unless
  /// somebody has. The caller publishes.
  ///
  /// - Parameter isExamined: somebody has, just now.
  @usableFromInline
  final func claim(passing error: any Error, from source: AnyPromise, isExamined: Bool = false) -> Bool {
    let state = source.cellHint
    let isExamined = isExamined || state.hasArrivedExamined
    guard claim(state.isCancelled ? .rejectingAsCancelled : isExamined ? .rejectingAsExamined : .rejecting) else {
      return false
    }
    store(error)
    continueTrail(of: source)
    source.markExamined()
    return true
  }
}
