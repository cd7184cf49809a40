import PromiseCore
import TestSupport

/// Watches the progress of a promise in two ways. An observer receives each value, or the test reads the progress.
final class Watched<Value: Sendable>: Sendable {
  let promise: Promise<Value>
  let context = ManualContext()
  let log = Log<Double>()

  init(_ promise: Promise<Value>, isObserved: Bool) {
    self.promise = promise
    if isObserved { promise.onProgress(on: context) { [log] in log.append($0) } }
  }

  /// Returns the last value that the observer received. Without an observer, returns the progress of the promise.
  func progress(isObserved: Bool) -> Double {
    context.runUntilIdle()
    return isObserved ? log.entries.last ?? 0 : promise.progress
  }
}
