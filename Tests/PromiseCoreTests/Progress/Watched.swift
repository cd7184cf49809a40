import PromiseCore
import TestSupport

/// A promise and who looks at its progress, in either way: an observer, to whom it is shown, or who asks each time.
final class Watched<Value: Sendable>: Sendable {
  let promise: Promise<Value>
  let context = ManualContext()
  let log = Log<Double>()

  init(_ promise: Promise<Value>, isObserved: Bool) {
    self.promise = promise
    if isObserved { promise.onProgress(on: context) { [log] in log.append($0) } }
  }

  /// The last that was shown, or, if nobody observes, what it reads.
  func progress(isObserved: Bool) -> Double {
    context.runUntilIdle()
    return isObserved ? log.entries.last ?? 0 : promise.progress
  }
}
